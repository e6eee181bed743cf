PRAGMA user_version = 4;
BEGIN TRANSACTION;
CREATE TABLE answer (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, survey INTEGER NOT NULL REFERENCES survey (id), key TEXT NOT NULL,
        received_at REAL NOT NULL, row TEXT NOT NULL, UNIQUE (survey, key));
INSERT INTO "answer" VALUES(1,1,'18e87d99e2f2ec558ceea633888de50b000000',1794822540.0,'[53]');
INSERT INTO "answer" VALUES(2,1,'18e87d99e2f2ec558ceea633888de50b000001',1794822540.0,'[18]');
INSERT INTO "answer" VALUES(3,1,'18e87d99e2f2ec558ceea633888de50b000002',1794822540.0,'[62]');
INSERT INTO "answer" VALUES(4,1,'18e87d99e2f2ec558ceea633888de50b000003',1794822540.0,'[77]');
INSERT INTO "answer" VALUES(5,1,'18e87d99e2f2ec558ceea633888de50b000004',1794822540.0,'[65]');
INSERT INTO "answer" VALUES(6,1,'18e87d99e2f2ec558ceea633888de50b000005',1794822540.0,'[29]');
INSERT INTO "answer" VALUES(7,1,'18e87d99e2f2ec558ceea633888de50b000006',1794822540.0,'[56]');
INSERT INTO "answer" VALUES(8,1,'18e87d99e2f2ec558ceea633888de50b000007',1794822540.0,'[37]');
INSERT INTO "answer" VALUES(9,1,'18e87d99e2f2ec558ceea633888de50b000008',1794822540.0,'[87]');
INSERT INTO "answer" VALUES(10,1,'18e87d99e2f2ec558ceea633888de50b000009',1794822540.0,'[81]');
INSERT INTO "answer" VALUES(11,1,'18e87d99e2f2ec558ceea633888de50b00000a',1794822540.0,'[31]');
INSERT INTO "answer" VALUES(12,1,'18e87d99e2f2ec558ceea633888de50b00000b',1794822540.0,'[54]');
INSERT INTO "answer" VALUES(13,1,'18e87d99e2f2ec558ceea633888de50b00000c',1794822540.0,'[85]');
INSERT INTO "answer" VALUES(14,1,'18e87d99e2f2ec558ceea633888de50b00000d',1794822540.0,'[78]');
INSERT INTO "answer" VALUES(15,1,'18e87d99e2f2ec558ceea633888de50b00000e',1794822540.0,'[68]');
INSERT INTO "answer" VALUES(16,1,'18e87d99e2f2ec558ceea633888de50b00000f',1794822540.0,'[64]');
INSERT INTO "answer" VALUES(17,1,'18e87d99e2f2ec558ceea633888de50b000010',1794822540.0,'[21]');
INSERT INTO "answer" VALUES(18,1,'18e87d99e2f2ec558ceea633888de50b000011',1794822540.0,'[71]');
INSERT INTO "answer" VALUES(19,1,'18e87d99e2f2ec558ceea633888de50b000012',1794822540.0,'[52]');
INSERT INTO "answer" VALUES(20,1,'18e87d99e2f2ec558ceea633888de50b000013',1794822540.0,'[24]');
CREATE TABLE arrival (
        survey INTEGER NOT NULL REFERENCES survey (id), bucket REAL NOT NULL, writer TEXT NOT NULL, n INTEGER NOT NULL,
        PRIMARY KEY (survey, bucket, writer)) WITHOUT ROWID;
INSERT INTO "arrival" VALUES(1,1794822540.0,'machine:30210:cd58397d',20);
CREATE TABLE aside (
        survey INTEGER NOT NULL REFERENCES survey (id), seq INTEGER NOT NULL, key TEXT NOT NULL, set_at REAL NOT NULL,
        reason TEXT NOT NULL, PRIMARY KEY (survey, seq));
CREATE TABLE closing_move (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, survey INTEGER NOT NULL REFERENCES survey (id), moved_at REAL NOT NULL,
        closes REAL NOT NULL);
CREATE TABLE deleted_survey (id INTEGER PRIMARY KEY, deleted_at REAL NOT NULL);
CREATE TABLE identifier (
        survey INTEGER NOT NULL REFERENCES survey (id), key TEXT NOT NULL, row TEXT NOT NULL,
        PRIMARY KEY (survey, key)) WITHOUT ROWID;
CREATE TABLE release (
        survey INTEGER PRIMARY KEY REFERENCES survey (id), content BLOB NOT NULL, report BLOB NOT NULL,
        sha256 TEXT NOT NULL, facts TEXT NOT NULL, made_at REAL NOT NULL, published_at REAL);
CREATE TABLE stage (
        survey INTEGER NOT NULL REFERENCES survey (id), name TEXT NOT NULL CHECK (name IN ('base', 'rest')),
        state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed', 'skipped')), owner TEXT, beat REAL,
        progress REAL, started REAL, ended REAL, n_records INTEGER, labels BLOB, loss REAL, message TEXT,
        PRIMARY KEY (survey, name));
INSERT INTO "stage" VALUES(1,'base','waiting',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "stage" VALUES(1,'rest','waiting',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE survey (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, definition TEXT NOT NULL, opened_at REAL NOT NULL,
        bucket REAL NOT NULL, secret TEXT NOT NULL, closed_at REAL, plan TEXT, moved_to REAL);
INSERT INTO "survey" VALUES(1,'a','{"name": "a", "k": 3, "fields": [{"name": "age", "type": "integer", "role": "quasi", "least": 0}], "closes": "2030-01-01T00:00:00+00:00", "expected": null, "method": "mdav", "rest": "nearest_moving", "refine": "local", "refine_options": {}, "l": {}, "p": {}, "t": {}, "deadline": null, "keep_identifiers": false, "seed": 0, "format": "csv", "formulas": "escape", "surplus": "refuse"}',1.79482255139422559736e+09,60.0,'d90f57a70a13057e5743e1b58fd500aa',NULL,NULL,NULL);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('answer',20);
COMMIT;
