#include "core/report/document.h"

#include "core/report/figures_svg.h"

namespace holo::report {

namespace {

template <class... F>
struct Overloaded : F... {
    using F::operator()...;
};

std::string markdownCell(const std::string& text)
{
    std::string escaped;
    for (const char c : text) {
        if (c == '|' || c == '\\')
            escaped += '\\';
        escaped += c == '\n' ? ' ' : c;
    }
    return escaped;
}

std::string markdownRow(const std::vector<std::string>& cells)
{
    std::string line = "|";
    for (const std::string& cell : cells)
        line += " " + markdownCell(cell) + " |";
    return line + "\n";
}

bool isNumber(const std::string& cell) { return !cell.empty() && (cell == "–" || cell.find_first_not_of("0123456789.-+<> ()/%–") == std::string::npos); }

std::string htmlRow(const std::vector<std::string>& cells, const char* tag)
{
    std::string row = "<tr>";
    for (const std::string& cell : cells)
        row += "<" + std::string(tag) + (isNumber(cell) ? " class=\"n\">" : ">") + xmlText(cell) + "</" + tag + ">";
    return row + "</tr>\n";
}

constexpr const char* kStyle =
    "body{font:15px/1.5 sans-serif;max-width:72em;margin:2em auto;padding:0 1em;color:#222}table{border-collapse:collapse;margin:1em 0}"
    "td,th{border:1px solid #ccc;padding:.25em .6em;text-align:left;font-variant-numeric:tabular-nums}th{background:#f2f2f2;vertical-align:bottom}td.n{text-align:right;white-space:nowrap}td:first-child{white-space:nowrap}"
    "figure{margin:1em 1.5em 1em 0;display:inline-block;vertical-align:top;max-width:100%}figcaption{max-width:28em}figcaption{color:#555}pre{background:#f6f6f6;padding:.7em;overflow-x:auto}svg{max-width:100%;height:auto}";

}  // namespace

std::string toMarkdown(const Document& document)
{
    std::string text = "# " + document.title + "\n";
    for (const Section& section : document.sections) {
        text += "\n## " + section.title + "\n";
        for (const Block& block : section.blocks)
            text += "\n" + std::visit(Overloaded{[](const std::string& paragraph) { return paragraph + "\n"; },
                                                 [](const Table& table) {
                                                     std::string rows = markdownRow(table.header) + "|";
                                                     for (std::size_t i = 0; i < table.header.size(); ++i)
                                                         rows += " --- |";
                                                     rows += "\n";
                                                     for (const auto& row : table.rows)
                                                         rows += markdownRow(row);
                                                     return rows;
                                                 },
                                                 [](const Figure& figure) { return "![" + figure.caption + "](" + figure.file + ")\n"; },
                                                 [](const Commands& commands) {
                                                     std::string lines = "```sh\n";
                                                     for (const std::string& line : commands.lines)
                                                         lines += line + "\n";
                                                     return lines + "```\n";
                                                 }},
                                      block);
    }
    return text;
}

std::string toHtml(const Document& document)
{
    std::string html = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" + xmlText(document.title) + "</title>\n<style>" + kStyle
                       + "</style>\n</head>\n<body>\n<h1>" + xmlText(document.title) + "</h1>\n";
    for (const Section& section : document.sections) {
        html += "<h2>" + xmlText(section.title) + "</h2>\n";
        for (const Block& block : section.blocks)
            html += std::visit(Overloaded{[](const std::string& paragraph) { return "<p>" + xmlText(paragraph) + "</p>\n"; },
                                          [](const Table& table) {
                                              std::string rows = "<table>\n" + htmlRow(table.header, "th");
                                              for (const auto& row : table.rows)
                                                  rows += htmlRow(row, "td");
                                              return rows + "</table>\n";
                                          },
                                          [](const Figure& figure) { return "<figure>\n" + figure.svg + "<figcaption>" + xmlText(figure.caption) + "</figcaption>\n</figure>\n"; },
                                          [](const Commands& commands) {
                                              std::string lines = "<pre>";
                                              for (const std::string& line : commands.lines)
                                                  lines += xmlText(line) + "\n";
                                              return lines + "</pre>\n";
                                          }},
                               block);
    }
    return html + "</body>\n</html>\n";
}

}  // namespace holo::report
