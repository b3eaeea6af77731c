#include "app/cli/shell_completion.h"

#include <functional>

#include "core/base/text.h"
#include "core/ladder/kinds.h"

namespace holo::cli {

namespace {

std::string replaced(std::string text, std::string_view what, std::string_view by)
{
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
    return text;
}

// Within single quotes of a POSIX shell, and of fish.
std::string quoted(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }
std::string fishQuoted(const std::string& text) { return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'"; }

bool isScheme(const OptionText& option) { return option.name == "SCHEME" || option.name == "--scheme" || option.name == "--to"; }

std::vector<std::string> valuesOf(const OptionText& option)
{
    if (!isScheme(option))
        return option.choices;
    std::vector<std::string> names;
    for (const ladder::KindInfo& kind : ladder::kinds())
        names.emplace_back(kind.name);
    return names;
}

std::vector<std::string> namesOf(const std::vector<VerbText>& verbs)
{
    std::vector<std::string> names;
    for (const VerbText& verb : verbs)
        names.push_back(verb.name);
    return names;
}

// Calls visit(path, verb) for every verb that has none below it; the path is "data prepare".
void forLeaves(const VerbText& verb, const std::string& path, const std::function<void(const std::string&, const VerbText&)>& visit)
{
    if (verb.verbs.empty())
        visit(path, verb);
    for (const VerbText& inner : verb.verbs)
        forLeaves(inner, path.empty() ? inner.name : path + " " + inner.name, visit);
}

std::string firstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string zshOption(const OptionText& option)
{
    const auto bare = [](std::string text) {
        for (const char* c : {"\\", ":", "[", "]"})
            text = replaced(text, c, std::string("\\") + c);
        return text;
    };
    const auto values = valuesOf(option);
    const std::string action = values.empty() ? "_files" : "(" + join(values, " ") + ")";
    if (option.isArgument)
        return quoted((option.repeats ? "*:" : ":") + bare(option.name) + ":" + action);
    const std::string start = (option.repeats ? "*" : "") + option.name + "[" + bare(firstLine(option.help)) + "]";
    return quoted(option.value.empty() ? start : start + ":" + bare(option.value) + ":" + action);
}

}  // namespace

std::string bashCompletion(const VerbText& tree)
{
    std::string shared;
    for (const OptionText& option : tree.options)
        shared += " " + option.name;
    std::string values;
    std::string words;
    std::string groups;
    forLeaves(tree, "", [&](const std::string& path, const VerbText& verb) {
        std::string options;
        for (const OptionText& option : verb.options) {
            if (!option.isArgument)
                options += " " + option.name;
            const auto allowed = valuesOf(option);
            if (!allowed.empty() && !option.isArgument)
                values += "    " + quoted(path + " " + option.name) + ") values=" + quoted(join(allowed, " ")) + " ;;\n";
        }
        words += "    " + quoted(path) + ") words=" + quoted(options.empty() ? options : options.substr(1)) + " ;;\n";
    });
    for (const VerbText& verb : tree.verbs)
        if (!verb.verbs.empty())
            groups += "    " + quoted(verb.name) + ") words=" + quoted(join(namesOf(verb.verbs), " ")) + "; isGroup=1 ;;\n";
    return "# bash completion of holonomy, made by `holonomy completion bash`\n"
           "_holonomy() {\n"
           "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb= words= values= isGroup= word\n"
           "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
           "    [[ $word == --batch ]] && word=batch\n"
           "    [[ $word == -* ]] && break\n"
           "    case $verb in '') verb=$word ;; data) verb=\"$verb $word\" ;; *) break ;; esac\n"
           "  done\n"
           "  case $verb in\n"
           "    '') words=" + quoted(join(namesOf(tree.verbs), " ") + " --batch") + "; isGroup=1 ;;\n" + words + groups +
           "  esac\n"
           "  case \"$verb $prev\" in\n" + values +
           "    *' --log-level') values='debug info warning error' ;;\n"
           "  esac\n"
           "  if [[ -n $values ]]; then\n"
           "    COMPREPLY=($(compgen -W \"$values\" -- \"$cur\"))\n"
           "  elif [[ $cur == -* || -n $isGroup ]]; then\n"
           "    COMPREPLY=($(compgen -W \"$words" + shared + "\" -- \"$cur\"))\n"
           "  else\n"
           "    case $verb in\n"
           "      ladder | tables | rotate) COMPREPLY=($(compgen -W " + quoted(join(valuesOf({"SCHEME", "", "", {}, true, false, false}), " ")) + " -- \"$cur\")) ;;\n"
           "    esac\n"
           "    COMPREPLY+=($(compgen -f -- \"$cur\"))\n"
           "  fi\n"
           "}\n"
           "complete -o filenames -F _holonomy holonomy holonomy-engine\n";
}

std::string zshCompletion(const VerbText& tree)
{
    const auto described = [](const std::vector<VerbText>& verbs, const std::string& indent) {
        std::string list;
        for (const VerbText& verb : verbs)
            list += indent + quoted(verb.name + ":" + replaced(firstLine(verb.help), ":", "\\:")) + "\n";
        return list;
    };
    const auto call = [&](const VerbText& verb, const std::string& indent) {
        std::string text = "_arguments";
        for (const auto* options : {&verb.options, &tree.options})
            for (const OptionText& option : *options)
                text += " \\\n" + indent + "  " + zshOption(option);
        return text;
    };
    std::string cases;
    for (const VerbText& verb : tree.verbs) {
        cases += "    " + verb.name + ")\n";
        if (verb.verbs.empty()) {
            cases += "      " + call(verb, "      ") + " ;;\n";
            continue;
        }
        cases += "      if (( CURRENT == 2 )); then\n        verbs=(\n" + described(verb.verbs, "          ") + "        )\n        _describe verb verbs\n        return\n      fi\n"
                 "      shift words; (( CURRENT-- ))\n      case $words[1] in\n";
        for (const VerbText& inner : verb.verbs)
            cases += "        " + inner.name + ")\n          " + call(inner, "          ") + " ;;\n";
        cases += "      esac ;;\n";
    }
    return "#compdef holonomy holonomy-engine\n# zsh completion of holonomy, made by `holonomy completion zsh`\n"
           "_holonomy() {\n  local -a verbs\n  if (( CURRENT == 2 )); then\n    verbs=(\n" + described(tree.verbs, "      ") + "    )\n    _describe verb verbs\n    return\n  fi\n"
           "  shift words; (( CURRENT-- ))\n  case $words[1] in\n" + cases + "  esac\n}\n"
           "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n  _holonomy \"$@\"\nelse\n  compdef _holonomy holonomy holonomy-engine\nfi\n";
}

std::string fishCompletion(const VerbText& tree)
{
    std::string text = "# fish completion of holonomy, made by `holonomy completion fish`\n";
    const auto addVerbs = [&](const std::vector<VerbText>& verbs, const std::string& condition) {
        for (const VerbText& verb : verbs)
            text += "complete -c holonomy -n " + fishQuoted(condition) + " -f -a " + fishQuoted(verb.name) + " -d " + fishQuoted(firstLine(verb.help)) + "\n";
    };
    const auto addOption = [&](const OptionText& option, const std::string& condition) {
        const auto values = valuesOf(option);
        std::string line = "complete -c holonomy" + (condition.empty() ? std::string() : " -n " + fishQuoted(condition));
        if (!option.isArgument)
            line += " -l " + option.name.substr(2) + (option.value.empty() ? "" : values.empty() ? " -r" : " -x");
        else if (values.empty())
            return;
        if (!values.empty())
            line += " -a " + fishQuoted(join(values, " "));
        text += line + " -d " + fishQuoted(firstLine(option.help)) + "\n";
    };
    addVerbs(tree.verbs, "__fish_use_subcommand");
    for (const OptionText& option : tree.options)
        addOption(option, "");
    for (const VerbText& verb : tree.verbs) {
        const std::string seen = "__fish_seen_subcommand_from " + verb.name;
        for (const OptionText& option : verb.options)
            addOption(option, seen);
        addVerbs(verb.verbs, seen + "; and not __fish_seen_subcommand_from " + join(namesOf(verb.verbs), " "));
        for (const VerbText& inner : verb.verbs)
            for (const OptionText& option : inner.options)
                addOption(option, seen + "; and __fish_seen_subcommand_from " + inner.name);
    }
    return text;
}

}  // namespace holo::cli
