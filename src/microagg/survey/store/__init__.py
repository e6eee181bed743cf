"""Where surveys are kept.

records (what stands in it), database (what every database can do), surveys and stages (the statements), sqlite and
postgres (what differs), migrations (their tables), opening (from an address to a store).
"""

from microagg.survey.store.database import CHUNK, PATIENCE
from microagg.survey.store.opening import open_store
from microagg.survey.store.records import (
    BASE,
    DONE,
    FAILED,
    REST,
    RUNNING,
    SKIPPED,
    WAITING,
    Answers,
    Aside,
    Made,
    Removed,
    Stage,
    StoredSurvey,
    SurveyState,
    owner_name,
)
from microagg.survey.store.stages import LEASE, Store

__all__ = [
    "BASE",
    "CHUNK",
    "DONE",
    "FAILED",
    "LEASE",
    "PATIENCE",
    "REST",
    "RUNNING",
    "SKIPPED",
    "WAITING",
    "Answers",
    "Aside",
    "Made",
    "Removed",
    "Stage",
    "Store",
    "StoredSurvey",
    "SurveyState",
    "open_store",
    "owner_name",
]
