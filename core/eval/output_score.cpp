#include "core/eval/output_score.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"

namespace holo::eval {

namespace {

bool isWordByte(char c)
{
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' || byte >= 0x80;
}

std::string_view core(std::string_view output)
{
    output = trimmed(output);
    while (!output.empty() && std::string_view(".,;:!?").find(output.back()) != std::string_view::npos)
        output = trimmed(output.substr(0, output.size() - 1));
    return output;
}

// Neither a letter nor a digit on either side; a decimal point or thousands comma with a digit beyond it goes on the number, too.
bool occursWhole(std::string_view text, std::string_view answer)
{
    if (answer.empty())
        return false;
    const auto isDigit = [&text](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
    for (std::size_t at = text.find(answer); at != std::string_view::npos; at = text.find(answer, at + 1)) {
        const std::size_t end = at + answer.size();
        const bool joinedLeft = at > 0 && isWordByte(text[at - 1]) && isWordByte(answer.front());
        const bool joinedRight = end < text.size() && isWordByte(text[end]) && isWordByte(answer.back());
        const bool numberLeft = at > 1 && isDigit(at) && (text[at - 1] == '.' || text[at - 1] == ',') && isDigit(at - 2);
        const bool numberRight = end < text.size() && isDigit(end - 1) && (text[end] == '.' || text[end] == ',') && isDigit(end + 1);
        if (!joinedLeft && !joinedRight && !numberLeft && !numberRight)
            return true;
    }
    return false;
}

Json scoreJson(double score)
{
    return score == 0 || score == 1 ? Json(score == 1) : number(score);
}

}  // namespace

OutputScore scoreOutput(std::string_view output, const std::vector<std::string>& expected)
{
    OutputScore score;
    if (expected.empty())
        return score;
    const std::string_view whole = core(output);
    std::size_t found = 0;
    for (const std::string& answer : expected)
        found += occursWhole(output, answer);
    score.contains = double(found) / double(expected.size());
    if (expected.size() == 1) {
        score.exact = !whole.empty() && whole == core(expected.front()) ? 1 : 0;
        return score;
    }
    // Several answers: the parts between commas, blanks or line ends, in any order, must be the answers and nothing else.
    std::vector<std::string> parts;
    std::string part;
    for (const char c : std::string(whole) + " ") {
        if (c != ' ' && c != ',' && c != ';' && c != '\n' && c != '\t' && c != '\r') {
            part += c;
        } else if (!part.empty()) {
            parts.push_back(std::exchange(part, {}));
        }
    }
    std::size_t exact = 0;
    for (const std::string& answer : expected)
        exact += std::find(parts.begin(), parts.end(), answer) != parts.end();
    score.exact = parts.size() == expected.size() ? double(exact) / double(expected.size()) : 0;
    return score;
}

Json scoreOutputs(const std::filesystem::path& file)
{
    const std::string name = file.string();
    Json rows = Json::array();
    double exact = 0;
    double contains = 0;
    std::size_t number = 0;
    for (const std::string& line : split(readFile(file), '\n')) {
        ++number;
        if (trimmed(line).empty())
            continue;
        const std::string place = name + ", line " + std::to_string(number);
        const Json json = parseJson(line, place);
        if (!json.is_object() || !json.contains("output") || !json["output"].is_string())
            throw Error::at(ErrorKind::Malformed, {place, "output", json.is_object() && json.contains("output") ? dumpLine(json["output"]) : "missing", "text"});
        std::vector<std::string> expected;
        if (json.contains("expected") && json["expected"].is_string())
            expected.push_back(json["expected"].get<std::string>());
        if (json.contains("expected") && json["expected"].is_array())
            for (const Json& answer : json["expected"]) {
                if (!answer.is_string())
                    throw Error::at(ErrorKind::Malformed, {place, "expected", dumpLine(answer), "a list of texts"});
                expected.push_back(answer.get<std::string>());
            }
        if (expected.empty())
            throw Error::at(ErrorKind::Malformed, {place, "expected", json.contains("expected") ? dumpLine(json["expected"]) : "missing", "a list of texts, at least one"});
        const std::string output = json["output"].get<std::string>();
        const OutputScore score = scoreOutput(output, expected);
        exact += score.exact;
        contains += score.contains;
        rows.push_back(Json{{"output", output}, {"exact", scoreJson(score.exact)}, {"contains", scoreJson(score.contains)}});
    }
    const double n = double(rows.size());
    Json json{{"format", 1}};
    json["trials"] = rows.size();
    json["exact"] = n > 0 ? holo::number(exact / n) : Json(nullptr);
    json["contains"] = n > 0 ? holo::number(contains / n) : Json(nullptr);
    json["rows"] = std::move(rows);
    return json;
}

}  // namespace holo::eval
