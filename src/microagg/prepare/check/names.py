"""What the name of a column says of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NUMBERING = _words(
    """
    no nr num number nummer numero numéro code cod key ref reference serial record case
    """
)
COUNTERS = _words(
    """
    rownames rownumber rowid row index idx obs observation observations recno recnum lfdnr unnamed caseno seq seqn
    seqno
    """
)
PERSONS = _words(
    """
    patient patienten person persons personal people subject subj client customer member user student pupil teacher
    employee emp staff worker respondent resp participant volunteer household hh hhold haushalt family individual
    indiv ind child mother father parent doctor physician nurse prisoner inmate player kunde kunden mitarbeiter case
    record account policy insurance versicherung donor applicant candidate driver voter owner proband
    """
)
PLACES_AND_THINGS = _words(
    """
    school state country region city county district department dept category group class type site station store
    product item brand industry occupation sector cohort arm trial treatment block plot batch clinic hospital center
    centre firm company route zone area team league question form version event stratum psu cluster course dist sch
    int cnty choice section village town tract species genre carrier airline program model vs loc location
    """
)
HOUSEHOLDS = _words(
    """
    household households hh hhid hhold haushalt family fam famid
    """
)
"""Units larger than a person: whether they are to be counted instead is for people to say."""
FIRMS = _words(
    """
    business company firm enterprise employer organisation organization org utility vendor supplier merchant
    establishment corporation practice provider restaurant hotel shop unternehmen betrieb firma
    """
)
IDS = _words(
    """
    id ids uid uuid guid pid hhid sid cid idn idnr idno idnum patid caseid personid subjid subjectid empid userid
    respid studentid memberid customerid clientid patientid indid
    """
)
OFFICIAL = _words(
    """
    ssn sin nino nhs mrn bsn svnr svnummer insee dni nie cpf curp pesel personnummer fiscal iban bic passport
    passnummer ausweis kvnr ahv nss sozialversicherungsnummer steuernummer tin ein vin
    """
)
PERSON_NAMES = _words(
    """
    surname lastname firstname forename givenname familyname fullname middlename maidenname vorname nachname
    familienname prenom prénom nom apellido apellidos nombre naam achternaam voornaam lname fname mname
    """
)
CONTACT = _words(
    """
    email mail emailaddress phone telephone tel telefon telefono téléphone mobile cellphone fax handy address
    adresse street strasse straße hausnummer housenumber url website homepage ip ipaddress username login twitter
    instagram facebook skype account konto kontonummer plate licenceplate licenseplate kennzeichen
    """
)
NOMINAL = _words(
    """
    sex gender geschlecht sexe sexo race ethnicity ethnic religion region state county country land nation
    nationality marital married status industry occupation job profession beruf sector type class category group
    code zip zipcode postcode postal plz fips msa cbsa naics sic icd nace isco iso language party carrier species
    kind mode treatment treat arm branch department dept diagnosis cause district cluster psu stratum strata block
    ward clinic hospital school campus store site team
    """
)
GEOGRAPHY = _words(
    """
    zip zipcode zip5 zip3 postcode postalcode postal plz fips county state province city town village municipality
    gemeinde kreis bundesland region country nation district tract block_group msa cbsa cma nuts lat latitude lon
    long lng longitude latlong coordinates geo geoid location place stadt ort wohnort birthplace neighborhood
    neighbourhood borough commune departement département canton kanton prefecture suburb postleitzahl
    """
)
POSTCODES = _words(
    """
    zip zipcode zip5 zip3 postcode postalcode postal plz fips geoid postleitzahl tract
    """
)
CODED = _words(
    """
    code cod fips msa cbsa naics sic icd nace isco iso
    """
)
"""Numbers with such a name are codes, however many there are."""
WEIGHTS = _words(
    """
    weight weights wt wgt wght weging gewicht finalwt fnlwgt finalweight sampwt pweight perwt pwgt hhwt asecwt
    wtfinl wtssall pspwght dweight pweights
    """
)
WEIGHT_COMPANIONS = _words(
    """
    survey sample sampling final person post design base probability analysis household replicate stratification
    calibrated expansion inverse
    """
)
DATES = _words(
    """
    date datum fecha data datetime time timestamp day dob birthday birthdate dod doa geburtsdatum geburtstag birth
    admission discharge deathdate startdate enddate when
    """
)
QUANTITIES = _words(
    """
    age alter years yrs year income wage wages salary earnings pay price cost amount sum total count counts n number
    hours hour minutes minute seconds day days weeks months month size height length width depth area volume mass
    temperature temp rate ratio percent pct share score points rank ranking order level levels dose distance speed
    population pop deaths births visits kids children siblings members rooms experience exper tenure education educ
    schooling grade balance value sales revenue profit assets debt tax taxes bmi pressure pulse weightkg mpg lag
    lead time trial week decade century quantity qty freq frequency votes goals runs wins losses games attempts
    items cigs cigarettes drinks units steps calories parity gestation position
    """
)
SENSITIVE = _words(
    """
    diagnosis diagnose disease illness condition symptom symptoms hiv cancer tumor tumour diabetes depression anxiety
    disability medication drug drugs alcohol treatment outcome income wage wages lwage salary earnings pay debt loan
    assets wealth savings balance arrest arrested conviction offence offense vote voted party opinion religion
    orientation krankheit einkommen gehalt lohn schulden revenu salaire maladie ingreso salario
    """
)
"""What a release is usually about, and must not be learned of a person."""
_WORDS_IN_ID = _words(
    """
    paid unpaid prepaid said aid raid maid laid grid acid valid invalid solid liquid fluid rapid rigid covid hybrid
    mid bid kid avoid void did hid lid rid arid humid morbid placid plaid steroid thyroid opioid typhoid android
    lipid orchid pyramid squid timid vivid asteroid rheumatoid medicaid amid candid lucid splendid stupid ovoid
    haploid diploid hemorrhoid tabloid overpaid undid forbid outbid druid fetid
    """
)
_WORDS_IN_OTHERS = _words("""aluminum platinum magnum decode encode barcode rename filename nickname tablename""")
_WHOLE = IDS | PERSON_NAMES | CONTACT | NOMINAL | GEOGRAPHY | POSTCODES | COUNTERS | _WORDS_IN_ID | _WORDS_IN_OTHERS
"""Words that are not split, whatever they end in."""
_ENDINGS = ("code", "name", "num", "id")
_ABBREVIATED = {
    "vill": "village",
    "prov": "province",
    "muni": "municipality",
    "cnty": "county",
    "ctry": "country",
    "cntry": "country",
}
_PARTS = re.compile(r"[A-ZÄÖÜ]+(?![a-zäöüß])|[A-ZÄÖÜ]?[a-zà-öø-ÿß]+|\d+")


@dataclass(frozen=True)
class NameWords:
    """The name of a column, taken apart.

    >>> NameWords("PatientID").words, NameWords("UTILITYID").words, NameWords("zip_code").words
    (('patient', 'id'), ('utility', 'id'), ('zip', 'code'))
    """

    name: str

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its words, in lower case, without numbers; "id", "code" and the like at the end are words of their own."""
        parts = [part.lower() for part in _PARTS.findall(self.name) if not part.isdigit()]
        return tuple(_ABBREVIATED.get(word, word) for part in parts for word in _split_ending(part))

    @cached_property
    def joined(self) -> str:
        """Its words as one, so that `last_name` is found as `lastname`."""
        return "".join(self.words)

    def has(self, known: frozenset[str]) -> bool:
        """Say whether one of its words, or all of them as one, is among these."""
        return self.joined in known or any(word in known for word in self.words)

    def has_pair(self, known: frozenset[str]) -> bool:
        """Say whether two of its words that follow each other are one of these: `last_name` of a person."""
        pairs = zip(self.words, self.words[1:], strict=False)
        return self.has(known) or any(first + second in known for first, second in pairs)

    @property
    def says_id(self) -> bool:
        """Whether it says that its values are ids, or numbers of persons."""
        return self.has(IDS) or (self.has(NUMBERING) and any(word in PERSONS - NUMBERING for word in self.words))

    @property
    def says_place(self) -> bool:
        """Whether it names places, or their codes, and nothing else: not `state_opinion`."""
        others = (
            GEOGRAPHY | NUMBERING | IDS | {"name", "of", "abb", "abbr", "birth", "residence", "home", "fips", "iso"}
        )
        return self.has(GEOGRAPHY) and (self.joined in GEOGRAPHY or all(word in others for word in self.words))

    @property
    def says_thing(self) -> bool:
        """Whether it names a place or a thing that many records share: `school_id`."""
        return any(word in PLACES_AND_THINGS for word in self.words) and not any(
            word in PERSONS - NUMBERING for word in self.words
        )

    @property
    def says_household(self) -> bool:
        """Whether it numbers households or families."""
        return self.has(HOUSEHOLDS)

    @property
    def says_person(self) -> bool:
        """Whether it numbers persons, and neither households nor cases, records and accounts of theirs."""
        others = HOUSEHOLDS | NUMBERING | {"account", "policy", "insurance"}
        named = {"pid", "patid", *(word for word in IDS if word[:-2] in PERSONS - others)}
        return self.has(frozenset(PERSONS - others)) or self.has(frozenset(named))

    @property
    def says_counter(self) -> bool:
        """Whether it says that rows are counted."""
        return self.has(COUNTERS) or not self.name.strip()

    @property
    def says_quantity(self) -> bool:
        """Whether it says that something is counted or measured."""
        return any(word in QUANTITIES for word in self.words) and not self.says_id

    @property
    def says_weight(self) -> bool:
        """Whether it says that records are weighted: `weight` alone may be that of a body."""
        if self.has(WEIGHTS - {"weight", "weights", "wt", "gewicht"}):
            return True
        heavy = any(word in WEIGHTS for word in self.words)
        return heavy and (len(self.words) == 1 or any(word in WEIGHT_COMPANIONS for word in self.words))


def _split_ending(word: str) -> list[str]:
    """Split "id", "num", "code" or "name" from the end of a word that is none of those that end so by nature.

    >>> _split_ending("utilityid"), _split_ending("paid"), _split_ending("id")
    (['utility', 'id'], ['paid'], ['id'])
    >>> _split_ending("pidnum"), _split_ending("cowcode"), _split_ending("zipcode"), _split_ending("aluminum")
    (['pid', 'num'], ['cow', 'code'], ['zipcode'], ['aluminum'])
    """
    if word in _WHOLE:
        return [word]
    for ending in _ENDINGS:
        if len(word) >= len(ending) + 3 and word.endswith(ending):
            return [word[: -len(ending)], ending]
    return [word]
