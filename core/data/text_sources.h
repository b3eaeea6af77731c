#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace holo::data {

struct TextSource {
    std::filesystem::path file;
    std::string name;   // as reported: the argument, or the path within the folder that was named
    bool isJsonLines = false;
};

struct TextSources {
    std::vector<TextSource> files;
    std::vector<std::string> notes;  // what was left out, one sentence each
};

// The files behind the named sources. A folder gives every regular file in it, recursively, by rising name (bytes compared). Links to files
// inside the folder are followed; links that leave it and links to folders are not, with a note; binary files are skipped with a note.
// .jsonl and .ndjson are JSON Lines. Throws Error (malformed) for what is missing, unreadable or holds no file of text.
TextSources listTextSources(const std::vector<std::filesystem::path>& sources);

}  // namespace holo::data
