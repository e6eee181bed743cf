"""The tables of a store, as they grew: a store of an earlier version is brought up to date step by step."""

from __future__ import annotations

SQLITE = (
    """
    CREATE TABLE survey (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, definition TEXT NOT NULL, opened_at REAL NOT NULL,
        bucket REAL NOT NULL, secret TEXT NOT NULL, closed_at REAL, plan TEXT);
    CREATE TABLE answer (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, survey INTEGER NOT NULL REFERENCES survey (id), key TEXT NOT NULL,
        received_at REAL NOT NULL, row TEXT NOT NULL, UNIQUE (survey, key));
    CREATE TABLE arrival (
        survey INTEGER NOT NULL REFERENCES survey (id), bucket REAL NOT NULL, writer TEXT NOT NULL, n INTEGER NOT NULL,
        PRIMARY KEY (survey, bucket, writer)) WITHOUT ROWID;
    CREATE TABLE identifier (
        survey INTEGER NOT NULL REFERENCES survey (id), key TEXT NOT NULL, row TEXT NOT NULL,
        PRIMARY KEY (survey, key)) WITHOUT ROWID;
    CREATE TABLE stage (
        survey INTEGER NOT NULL REFERENCES survey (id), name TEXT NOT NULL CHECK (name IN ('base', 'rest')),
        state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed', 'skipped')), owner TEXT, beat REAL,
        progress REAL, started REAL, ended REAL, n_records INTEGER, labels BLOB, loss REAL, message TEXT,
        PRIMARY KEY (survey, name));
    CREATE TABLE release (
        survey INTEGER PRIMARY KEY REFERENCES survey (id), content BLOB NOT NULL, report BLOB NOT NULL,
        sha256 TEXT NOT NULL, facts TEXT NOT NULL, made_at REAL NOT NULL, published_at REAL);
    """,
    """
    ALTER TABLE survey ADD COLUMN moved_to REAL;
    CREATE TABLE closing_move (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, survey INTEGER NOT NULL REFERENCES survey (id), moved_at REAL NOT NULL,
        closes REAL NOT NULL);
    """,
    """
    CREATE TABLE aside (
        survey INTEGER NOT NULL REFERENCES survey (id), seq INTEGER NOT NULL, key TEXT NOT NULL, set_at REAL NOT NULL,
        reason TEXT NOT NULL, PRIMARY KEY (survey, seq));
    """,
    """
    CREATE TABLE deleted_survey (id INTEGER PRIMARY KEY, deleted_at REAL NOT NULL);
    """,
)
"""What each version of the tables adds to the one before."""

POSTGRES = (
    """
    CREATE TABLE survey (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE, definition text NOT NULL,
        opened_at float8 NOT NULL, bucket float8 NOT NULL, secret text NOT NULL, closed_at float8, plan text);
    CREATE TABLE answer (
        seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, survey bigint NOT NULL, key text NOT NULL,
        received_at float8 NOT NULL, row text NOT NULL, UNIQUE (survey, key));
    CREATE TABLE arrival (
        survey bigint NOT NULL, bucket float8 NOT NULL, writer text NOT NULL, n bigint NOT NULL,
        PRIMARY KEY (survey, bucket, writer));
    CREATE TABLE identifier (
        survey bigint NOT NULL, key text NOT NULL, row text NOT NULL, PRIMARY KEY (survey, key));
    CREATE TABLE stage (
        survey bigint NOT NULL REFERENCES survey (id), name text NOT NULL CHECK (name IN ('base', 'rest')),
        state text NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed', 'skipped')), owner text,
        beat float8, progress float8, started float8, ended float8, n_records bigint, labels bytea, loss float8,
        message text, PRIMARY KEY (survey, name));
    CREATE TABLE release (
        survey bigint PRIMARY KEY REFERENCES survey (id), content bytea NOT NULL, report bytea NOT NULL,
        sha256 text NOT NULL, facts text NOT NULL, made_at float8 NOT NULL, published_at float8);
    """,
    """
    ALTER TABLE survey ADD COLUMN moved_to float8;
    CREATE TABLE closing_move (
        seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, survey bigint NOT NULL REFERENCES survey (id),
        moved_at float8 NOT NULL, closes float8 NOT NULL);
    """,
    """
    CREATE TABLE aside (
        survey bigint NOT NULL REFERENCES survey (id), seq bigint NOT NULL, key text NOT NULL, set_at float8 NOT NULL,
        reason text NOT NULL, PRIMARY KEY (survey, seq));
    """,
    """
    CREATE TABLE deleted_survey (id bigint PRIMARY KEY, deleted_at float8 NOT NULL);
    """,
)
"""What each version of the tables adds to the one before."""
