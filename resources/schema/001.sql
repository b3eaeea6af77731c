-- Index of a project's run directories. Everything here can be rebuilt from the files.
-- A value that is not finite is stored as text ('nan', 'inf', '-inf'); NULL is "not there".
CREATE TABLE run (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    arm TEXT NOT NULL,
    seed INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    step INTEGER NOT NULL DEFAULT 0,
    total_steps INTEGER NOT NULL DEFAULT 0,
    tokens INTEGER NOT NULL DEFAULT 0,
    loss, val_loss, needle, worst, perplexity, tok_s, active,
    context INTEGER NOT NULL DEFAULT 0,
    checkpoints INTEGER NOT NULL DEFAULT 0,
    evals INTEGER NOT NULL DEFAULT 0,
    scheme TEXT NOT NULL DEFAULT '',
    message TEXT NOT NULL DEFAULT '',
    events_offset INTEGER NOT NULL DEFAULT 0,
    signature TEXT NOT NULL DEFAULT ''
);
CREATE TABLE step (
    run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,
    attempt INTEGER NOT NULL,
    step INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    t, active, loss, grad_norm, lr, tok_s,
    PRIMARY KEY (run, attempt, step)
) WITHOUT ROWID;
CREATE TABLE event (
    run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    type TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    step INTEGER NOT NULL,
    val_loss,
    text TEXT NOT NULL,
    PRIMARY KEY (run, position)
) WITHOUT ROWID;
CREATE TABLE eval (
    run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,
    id TEXT NOT NULL,
    protocol TEXT NOT NULL,
    step INTEGER NOT NULL,
    mean,
    chance,
    swapped INTEGER NOT NULL,
    scheme TEXT NOT NULL,
    signature TEXT NOT NULL,
    PRIMARY KEY (run, id)
) WITHOUT ROWID;
CREATE TABLE cell (
    run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,
    eval TEXT NOT NULL,
    length INTEGER NOT NULL,
    depth REAL NOT NULL,
    depth_real, trials INTEGER NOT NULL,
    accuracy, nll, low, high,
    outside INTEGER NOT NULL,
    PRIMARY KEY (run, eval, length, depth)
) WITHOUT ROWID;
CREATE TABLE distance (
    run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,
    eval TEXT NOT NULL,
    delta REAL NOT NULL,
    trials INTEGER NOT NULL,
    accuracy,
    PRIMARY KEY (run, eval, delta)
) WITHOUT ROWID;
CREATE TABLE perplexity (
    run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,
    eval TEXT NOT NULL,
    length INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    nll, ppl,
    PRIMARY KEY (run, eval, length)
) WITHOUT ROWID;
CREATE TABLE checkpoint (
    run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,
    step INTEGER NOT NULL,
    PRIMARY KEY (run, step)
) WITHOUT ROWID;
CREATE INDEX run_arm ON run(arm, seed);
