#pragma once

#include <string>
#include <variant>
#include <vector>

namespace holo::report {

struct Table {
    std::vector<std::string> header;
    std::vector<std::vector<std::string>> rows;
};

struct Figure {
    std::string file;     // "heatmap-standard.svg", beside the Markdown
    std::string caption;
    std::string svg;      // inline in the HTML
};

struct Commands {
    std::vector<std::string> lines;
};

using Block = std::variant<std::string, Table, Figure, Commands>;  // a text is a paragraph

struct Section {
    std::string title;
    std::vector<Block> blocks;
};

// A report in two forms of the same content.
struct Document {
    std::string title;
    std::vector<Section> sections;
};

std::string toMarkdown(const Document& document);
std::string toHtml(const Document& document);  // one file, figures inside

}  // namespace holo::report
