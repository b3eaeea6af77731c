"""Speed and memory of `holonomy data prepare` beside Hugging Face tokenizers, on the same text and tokenizer files, whole processes in turn.

usage: compare_tokenizers.py ENGINE FOLDER [--megabytes 1000] [--rounds 3] [--tokenizers bytes,bpe]     (needs tokenizers and numpy from PyPI)

FOLDER is made: a text put together from what this machine has (documentation, sources), a byte-level BPE of 32 000 ids trained on 16 MB of it
with Hugging Face tokenizers, and the same without merges, whose ids are bytes. Theirs reads the text in blocks of 8 MiB, encodes lines with
encode_batch on all cores (TOKENIZERS_PARALLELISM) and writes uint16. Ours writes shards and also takes SHA-256 of source and shards, draws the
validation part and checks UTF-8. Prints MB/s (text over wall time of the whole process) and peak resident memory of each, as JSON at the end.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import sys
import time

ROOTS = ["/usr/share/doc", "/usr/share/perl", "/usr/lib/python3", "/usr/include", "/usr/share/common-licenses"]
ENDINGS = {".txt", ".md", ".rst", ".py", ".h", ".pod", ".html", ".hpp", ".pm", ""}


def make_text(file, megabytes):
    pieces, size = [], 0
    for root in ROOTS:
        for path in sorted(pathlib.Path(root).rglob("*")):
            if size > 150e6:
                break
            if path.suffix in ENDINGS and path.is_file() and not path.is_symlink() and path.stat().st_size < 2e6:
                try:
                    pieces.append(path.read_text(encoding="utf-8") + "\n")
                except (UnicodeDecodeError, OSError):
                    continue
                size += len(pieces[-1])
    order = random.Random(1)
    written = 0
    with open(file, "w", encoding="utf-8", newline="") as out:
        while written < megabytes * 1e6:
            order.shuffle(pieces)
            for piece in pieces:
                out.write(piece)
                written += len(piece.encode())
                if written >= megabytes * 1e6:
                    break


def make_tokenizers(text, folder):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    with open(text, encoding="utf-8", errors="ignore") as source:
        sample = source.read(16_000_000)
    for name, size in (("bytes", 257), ("bpe", 32000)):
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=["<|endoftext|>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
        tokenizer.train_from_iterator((sample[i:i + 100_000] for i in range(0, len(sample) if size > 257 else 100_000, 100_000)), trainer)
        tokenizer.save(str(folder / (name + ".json")))


def theirs(text, tokenizer_file, out):
    import numpy
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(tokenizer_file)
    with open(text, encoding="utf-8", newline="") as source, open(out, "wb") as sink:
        while lines := source.readlines(8 << 20):
            for encoding in tokenizer.encode_batch_fast(lines):
                sink.write(numpy.array(encoding.ids, dtype=numpy.uint16).tobytes())


def timed(command, environment=None):
    begin = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, {**os.environ, **(environment or {})}, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"{command} ended with {status}")
    return {"seconds": time.perf_counter() - begin, "cpu": usage.ru_utime + usage.ru_stime, "rss_mb": usage.ru_maxrss / 1024}


def main():
    if sys.argv[1] == "--theirs":
        return theirs(*sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--megabytes", type=float, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tokenizers", default="bytes,bpe")
    arguments = parser.parse_args()
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    text = folder / "text.txt"
    if not text.exists():
        make_text(text, arguments.megabytes)
        make_tokenizers(text, folder)
    size = text.stat().st_size / 1e6
    rows = []
    for kind in arguments.tokenizers.split(","):
        results = {"ours": [], "theirs": []}
        for _ in range(arguments.rounds):
            shutil.rmtree(folder / "ours", ignore_errors=True)
            ours = [arguments.engine, "data", "prepare", str(text), "--out", str(folder / "ours"), "--val-share", "0.01", "--tokenizer", "bytes" if kind == "bytes" else str(folder / "bpe.json"), "--quiet"]
            results["ours"].append(timed(ours))
            results["theirs"].append(timed([sys.executable, __file__, "--theirs", str(text), str(folder / (kind + ".json")), str(folder / "theirs.bin")], {"TOKENIZERS_PARALLELISM": "true"}))
        for program, runs in results.items():
            rows.append({"tokenizer": kind, "program": program, "mb_s": round(size / statistics.median(r["seconds"] for r in runs), 1),
                         "mb_per_cpu_s": round(size / statistics.median(r["cpu"] for r in runs), 1), "rss_mb": round(max(r["rss_mb"] for r in runs))})
            print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    print(json.dumps({"text_mb": round(size, 1), "cores": os.cpu_count(), "load": os.getloadavg()[0], "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
