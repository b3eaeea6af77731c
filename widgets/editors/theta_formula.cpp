#include "widgets/editors/theta_formula.h"

#include <cctype>
#include <cmath>
#include <numbers>
#include <string_view>

#include "core/base/text.h"

namespace holo::widgets {

namespace {

constexpr int kDeepest = 64;  // brackets in brackets

// Recursive descent; the first problem ends it.
class Parser {
public:
    Parser(std::string_view text, const FormulaContext& context, int plane)
        : m_text(text)
        , m_context(context)
        , m_plane(plane)
    {
    }

    double run()
    {
        const double value = sum();
        skip();
        if (m_problem.empty() && m_at < m_text.size())
            fail("nothing more was expected");
        return value;
    }
    const std::string& problem() const { return m_problem; }

private:
    void fail(const std::string& what)
    {
        if (m_problem.empty())
            m_problem = "column " + std::to_string(m_at + 1) + ": " + what + ".";
        m_at = m_text.size();
    }
    void skip()
    {
        while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at])))
            ++m_at;
    }
    bool take(char c)
    {
        skip();
        if (m_at >= m_text.size() || m_text[m_at] != c)
            return false;
        ++m_at;
        return true;
    }
    double sum()
    {
        double value = product();
        for (;;) {
            if (take('+'))
                value += product();
            else if (take('-'))
                value -= product();
            else
                return value;
        }
    }
    double product()
    {
        double value = sign();
        for (;;) {
            if (take('*'))
                value *= sign();
            else if (take('/'))
                value /= sign();
            else
                return value;
        }
    }
    double sign()
    {
        if (++m_depth > kDeepest) {
            fail("brackets and signs nest too deeply");
            return 0;
        }
        const double value = take('-') ? -sign() : take('+') ? sign() : power();
        --m_depth;
        return value;
    }
    double power()
    {
        const double base = atom();
        return take('^') ? std::pow(base, sign()) : base;
    }
    double atom()
    {
        skip();
        if (take('(')) {
            const double value = sum();
            if (!take(')'))
                fail("a closing bracket is missing");
            return value;
        }
        if (m_at >= m_text.size()) {
            fail("a number, a name or a bracket is missing");
            return 0;
        }
        const std::size_t start = m_at;
        const char c = m_text[m_at];
        if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') {
            while (m_at < m_text.size() && (std::isdigit(static_cast<unsigned char>(m_text[m_at])) || m_text[m_at] == '.'))
                ++m_at;
            if (m_at + 1 < m_text.size() && (m_text[m_at] == 'e' || m_text[m_at] == 'E')
                && (std::isdigit(static_cast<unsigned char>(m_text[m_at + 1])) || ((m_text[m_at + 1] == '-' || m_text[m_at + 1] == '+') && m_at + 2 < m_text.size() && std::isdigit(static_cast<unsigned char>(m_text[m_at + 2]))))) {
                m_at += 2;
                while (m_at < m_text.size() && std::isdigit(static_cast<unsigned char>(m_text[m_at])))
                    ++m_at;
            }
            const auto value = parseDouble(m_text.substr(start, m_at - start));
            if (!value) {
                m_at = start;
                fail("this is no number");
                return 0;
            }
            return *value;
        }
        while (m_at < m_text.size() && std::isalpha(static_cast<unsigned char>(m_text[m_at])))
            ++m_at;
        const std::string_view name = m_text.substr(start, m_at - start);
        if (name == "i")
            return m_plane;
        if (name == "M")
            return m_context.planes;
        if (name == "d")
            return 2.0 * m_context.planes;
        if (name == "N")
            return static_cast<double>(m_context.context);
        if (name == "base")
            return m_context.base;
        if (name == "pi")
            return std::numbers::pi;
        if (name == "e")
            return std::numbers::e;
        using Function = double (*)(double);
        const std::pair<std::string_view, Function> functions[] = {{"sqrt", std::sqrt}, {"exp", std::exp}, {"log", std::log}, {"sin", std::sin}, {"cos", std::cos}, {"abs", std::fabs}};
        for (const auto& [known, function] : functions)
            if (name == known) {
                if (!take('(')) {
                    fail(std::string(name) + " needs its argument in brackets");
                    return 0;
                }
                const double value = function(sum());
                if (!take(')'))
                    fail("a closing bracket is missing");
                return value;
            }
        m_at = start;
        fail(name.empty() ? "“" + std::string(1, c) + "” is not allowed here" : "“" + std::string(name) + "” is not known; allowed: i, M, d, N, base, pi, e, sqrt, exp, log, sin, cos, abs");
        return 0;
    }

    std::string_view m_text;
    const FormulaContext& m_context;
    int m_plane;
    std::size_t m_at = 0;
    int m_depth = 0;
    std::string m_problem;
};

}  // namespace

FormulaResult evaluateFormula(const std::string& formula, const FormulaContext& context)
{
    FormulaResult result;
    for (int plane = 0; plane < context.planes; ++plane) {
        Parser parser(formula, context, plane);
        const double value = parser.run();
        if (parser.problem().empty() && std::isfinite(value)) {
            result.theta.push_back(value);
            continue;
        }
        result.problem = !parser.problem().empty() ? parser.problem() : "plane " + std::to_string(plane) + ": the formula has no finite value there.";
        result.theta.clear();
        break;
    }
    return result;
}

}  // namespace holo::widgets
