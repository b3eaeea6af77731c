#include "app/cli/manual_page.h"

#include "core/base/text.h"
#include "core/ladder/kinds.h"

namespace holo::cli {

namespace {

// Text for troff: nothing of it is taken for a request, and every hyphen is one that can be copied.
std::string plain(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        if (out.empty() || out.back() == '\n')
            if (c == '.' || c == '\'')
                out += "\\&";
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
    }
    return out;
}

std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + plain(text) + "\\fR"; }

std::string usage(const VerbText& verb, const std::string& path)
{
    std::string line = bold("holonomy " + path);
    for (const OptionText& option : verb.options)
        if (option.isArgument)
            line += " " + (option.isRequired ? "" : std::string("[")) + italic(option.name) + (option.repeats ? " ..." : "") + (option.isRequired ? "" : "]");
        else if (option.isRequired)
            line += " " + bold(option.name) + " " + italic(option.value);
    return line + " [options]";
}

std::string entry(const OptionText& option)
{
    std::string text = ".TP\n" + (option.isArgument ? italic(option.name) : bold(option.name) + (option.value.empty() ? "" : " " + italic(option.value))) + "\n" + plain(option.help);
    if (!option.choices.empty() && option.help.find(option.choices.front()) == std::string::npos)
        text += " (" + plain(join(option.choices, ", ")) + ")";
    return text + "\n";
}

void addVerb(std::string& page, const VerbText& verb, const std::string& path)
{
    if (!verb.verbs.empty()) {
        for (const VerbText& inner : verb.verbs)
            addVerb(page, inner, path + " " + inner.name);
        return;
    }
    page += ".SS " + plain(path) + "\n" + plain(verb.help) + ".\n.PP\n" + usage(verb, path) + "\n";
    for (const OptionText& option : verb.options)
        page += entry(option);
    if (!verb.example.empty())
        page += ".PP\nExample:\n.PP\n.nf\n" + plain(verb.example) + "\n.fi\n";
}

}  // namespace

std::string manualPage(const VerbText& tree, const std::string& version)
{
    std::string page = ".TH HOLONOMY 1 \"\" \"holonomy " + plain(version) + "\" \"User Commands\"\n"
                       ".SH NAME\nholonomy \\- experiments on positional encodings\n"
                       ".SH SYNOPSIS\n.B holonomy\n[" + italic("PROJECT") + "]\n.br\n.B holonomy\n" + italic("VERB") + " [" + italic("arguments") + "]\n.br\n.B holonomy \\-\\-batch\n" + italic("PROJECT") + " ...\n"
                       ".SH DESCRIPTION\nWithout a verb, the window opens. Verbs work without a display: data goes to standard output, words to standard error, and the exit status says what happened.\n"
                       ".SH OPTIONS OF EVERY VERB\n";
    for (const OptionText& option : tree.options)
        page += entry(option);
    page += ".SH VERBS\n";
    for (const VerbText& verb : tree.verbs)
        addVerb(page, verb, verb.name);
    page += ".SH SCHEMES\nA scheme is a JSON file, inline JSON, or a short form " + italic("KIND") + "[:" + italic("key") + "=" + italic("value") + ",...].\n";
    for (const ladder::KindInfo& kind : ladder::kinds()) {
        std::vector<std::string> keys;
        for (const ladder::ParameterInfo& parameter : kind.parameters)
            keys.emplace_back(parameter.key);
        page += ".TP\n" + bold(kind.name) + (keys.empty() ? "" : " " + plain(join(keys, ", "))) + "\n" + plain(kind.summary) + "\n";
    }
    page += ".SH EXIT STATUS\n";
    for (const auto& [code, meaning] : {std::pair("0", "done"), {"1", "internal failure"}, {"2", "argument"}, {"3", "broken input"}, {"4", "input of a kind that is not supported"}, {"5", "disk or memory"},
                                        {"6", "project busy"}, {"7", "numbers that are not finite"}, {"8", "some jobs failed"}, {"75", "interrupted and resumable"}})
        page += ".TP\n" + bold(code) + "\n" + plain(meaning) + "\n";
    return page;
}

}  // namespace holo::cli
