#!/usr/bin/env python3
"""FineWeb-Edu's Parquet files, or any with a column of text, as JSON Lines for `holonomy data prepare`.

usage: fineweb_to_jsonl.py FILE.parquet|FOLDER… --out FILE.jsonl [--documents N] [--min-score X] [--language en] [--column text]

Needs pyarrow (pip install pyarrow). Reads row group by row group, so memory stays at one row group (some hundred MB at most); the order is that of
the files by name. Writes aside and renames at the end; an interrupted call leaves nothing under the name. With --documents it stops early.
"""
import argparse
import json
import pathlib
import sys


def files_of(sources):
    for source in sources:
        path = pathlib.Path(source)
        found = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
        if not found or not found[0].exists():
            sys.exit(f"{source}: there is no Parquet file.")
        yield from found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--documents", type=int, default=0, help="stop after so many (0: all)")
    parser.add_argument("--min-score", type=float, help="keep documents whose column score is at least this")
    parser.add_argument("--language", help="keep documents whose column language is this")
    parser.add_argument("--column", default="text")
    arguments = parser.parse_args()
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        sys.exit("pyarrow is missing; pip install pyarrow")

    wanted = [arguments.column] + ["score"] * (arguments.min_score is not None) + ["language"] * (arguments.language is not None)
    aside = arguments.out.with_name("." + arguments.out.name + ".part")
    read = kept = size = 0
    try:
        with open(aside, "w", encoding="utf-8", newline="\n") as out:
            for file in files_of(arguments.sources):
                table = parquet.ParquetFile(file)
                missing = [name for name in wanted if name not in table.schema_arrow.names]
                if missing:
                    sys.exit(f"{file}: there is no column {missing[0]}; it has {', '.join(table.schema_arrow.names)}.")
                for batch in table.iter_batches(batch_size=1024, columns=wanted):
                    for row in batch.to_pylist():
                        read += 1
                        text = row[arguments.column]
                        if not text or (arguments.min_score is not None and not (row["score"] is not None and row["score"] >= arguments.min_score)):
                            continue
                        if arguments.language is not None and row["language"] != arguments.language:
                            continue
                        size += out.write(json.dumps({"text": text}, ensure_ascii=False) + "\n")
                        kept += 1
                        if kept == arguments.documents:
                            break
                    if kept and kept == arguments.documents:
                        break
                print(f"{file.name}: {kept} of {read} documents so far, {size / 1e6:.0f} MB", file=sys.stderr)
                if kept and kept == arguments.documents:
                    break
        aside.rename(arguments.out)
    finally:
        aside.unlink(missing_ok=True)
    print(json.dumps({"documents": kept, "read": read, "out": str(arguments.out)}))


if __name__ == "__main__":
    main()
