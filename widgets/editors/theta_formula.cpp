#include "widgets/editors/theta_formula.h"

#include <muParser.h>

#include <cctype>
#include <cmath>
#include <numbers>

namespace holo::widgets {

namespace {

constexpr const char* kNames = "i, M, d, N, base, pi, e, sqrt, exp, log, sin, cos, abs";

// The parser with our names and no others.
class ThetaParser : public mu::Parser {
public:
    explicit ThetaParser(const FormulaContext& context)
    {
        ClearFun();
        ClearConst();
        const std::pair<const char*, mu::fun_type1> functions[] = {{"sqrt", [](double x) { return std::sqrt(x); }}, {"exp", [](double x) { return std::exp(x); }}, {"log", [](double x) { return std::log(x); }},
            {"sin", [](double x) { return std::sin(x); }}, {"cos", [](double x) { return std::cos(x); }}, {"abs", [](double x) { return std::fabs(x); }}};
        for (const auto& [name, function] : functions)
            DefineFun(name, function);
        const std::pair<const char*, double> constants[] = {{"M", context.planes}, {"d", 2.0 * context.planes}, {"N", static_cast<double>(context.context)}, {"base", context.base}, {"pi", std::numbers::pi}, {"e", std::numbers::e}};
        for (const auto& [name, value] : constants)
            DefineConst(name, value);
        DefineVar("i", &m_plane);
        SetArgSep(';');  // a comma is no part of a formula: 1,5 is a slip for 1.5
    }

    double at(int plane)
    {
        m_plane = plane;
        return Eval();
    }

private:
    double m_plane = 0;
};

// What is wrong, without the place.
std::string words(const mu::ParserError& error)
{
    const std::string& token = error.GetToken();
    switch (error.GetCode()) {
    case mu::ecEMPTY_EXPRESSION:
    case mu::ecUNEXPECTED_EOF: return "a number, a name or a bracket is missing";
    case mu::ecMISSING_PARENS: return "a closing bracket is missing";
    case mu::ecEXPRESSION_TOO_LONG: return "the formula is too long";
    case mu::ecUNASSIGNABLE_TOKEN: break;
    case mu::ecUNEXPECTED_VAL:
        if (token.starts_with('.'))
            return "this is no number";
        [[fallthrough]];
    default: return "“" + token + "” was not expected here";
    }
    std::string name;
    for (const char c : token) {
        if (!std::isalpha(static_cast<unsigned char>(c)))
            break;
        name += c;
    }
    for (const char* function : {"sqrt", "exp", "log", "sin", "cos", "abs"})
        if (name == function)
            return name + " needs its argument in brackets";
    if (!name.empty())
        return "“" + name + "” is not known; allowed: " + kNames;
    return "“" + token.substr(0, token.find(' ')) + "” is not allowed here";
}

}  // namespace

FormulaResult evaluateFormula(const std::string& formula, const FormulaContext& context)
{
    FormulaResult result;
    try {
        ThetaParser parser(context);
        parser.SetExpr(formula);
        for (int plane = 0; plane < context.planes && result.problem.empty(); ++plane) {
            result.theta.push_back(parser.at(plane));
            if (parser.GetNumResults() > 1)
                result.problem = "column " + std::to_string(formula.find(';') + 1) + ": nothing more was expected.";
            else if (!std::isfinite(result.theta.back()))
                result.problem = "plane " + std::to_string(plane) + ": the formula has no finite value there.";
        }
    } catch (const mu::ParserError& error) {
        result.problem = "column " + std::to_string(std::max(error.GetPos(), 0) + 1) + ": " + words(error) + ".";
    }
    if (!result.problem.empty())
        result.theta.clear();
    return result;
}

}  // namespace holo::widgets
