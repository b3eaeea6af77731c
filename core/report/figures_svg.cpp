#include "core/report/figures_svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/base/text.h"

namespace holo::report {

namespace {

// Ends and quarters of viridis (Smith and van der Walt, matplotlib, CC0), linear between.
constexpr std::array<std::array<double, 3>, 5> kScale{{{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}};
// Okabe and Ito's colours, told apart by colour-blind readers too.
constexpr std::array<const char*, 8> kArmColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#666666", "#B8A800"};

std::string fixed(double value) { return formatFixed(value, 2); }

std::string colour(double share)
{
    const double at = std::clamp(share, 0.0, 1.0) * double(kScale.size() - 1);
    const std::size_t low = std::min<std::size_t>(std::size_t(at), kScale.size() - 2);
    std::string text = "rgb(";
    for (int c = 0; c < 3; ++c)
        text += (c > 0 ? "," : "") + std::to_string(int(std::lround(kScale[low][c] + (kScale[low + 1][c] - kScale[low][c]) * (at - double(low)))));
    return text + ")";
}

std::string label(double x, double y, const std::string& text, const char* anchor, const std::string& more = {})
{
    return "<text x=\"" + fixed(x) + "\" y=\"" + fixed(y) + "\" text-anchor=\"" + anchor + "\"" + more + ">" + xmlText(text) + "</text>\n";
}

std::string opened(double width, double height, const std::string& title)
{
    const std::string size = fixed(width) + " " + fixed(height);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size + "\" width=\"" + fixed(width) + "\" height=\"" + fixed(height)
           + "\" font-family=\"sans-serif\" font-size=\"11\" role=\"img\">\n<title>" + xmlText(title) + "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
           + label(12, 18, title, "start", " font-size=\"13\"");
}

std::string line(double x1, double y1, double x2, double y2, const std::string& style)
{
    return "<line x1=\"" + fixed(x1) + "\" y1=\"" + fixed(y1) + "\" x2=\"" + fixed(x2) + "\" y2=\"" + fixed(y2) + "\" " + style + "/>\n";
}

// 3 to 6 round values in [low, high].
std::vector<double> ticks(double low, double high)
{
    const double span = high - low;
    if (!(span > 0))
        return {low};
    double step = std::pow(10.0, std::floor(std::log10(span)));
    while (span / step > 6)
        step *= 2;
    while (span / step < 3)
        step /= 2;
    std::vector<double> values;
    for (double v = std::ceil(low / step) * step; v <= high + step * 1e-9; v += step)
        values.push_back(std::abs(v) < step * 1e-9 ? 0 : v);
    return values;
}

std::string tickText(double value)
{
    std::string text = formatFixed(value, 3);
    while (text.find('.') != std::string::npos && (text.back() == '0' || text.back() == '.')) {
        const bool isPoint = text.back() == '.';
        text.pop_back();
        if (isPoint)
            break;
    }
    return text;
}

}  // namespace

std::string xmlText(const std::string& text)
{
    std::string escaped;
    for (const char c : text) {
        switch (c) {
        case '&': escaped += "&amp;"; break;
        case '<': escaped += "&lt;"; break;
        case '>': escaped += "&gt;"; break;
        case '"': escaped += "&quot;"; break;
        default: escaped += c;
        }
    }
    return escaped;
}

std::string heatmapSvg(const model::NeedleGrid& grid, const std::string& title)
{
    constexpr double kLeft = 56, kTop = 40, kCellWidth = 56, kCellHeight = 22;
    const double width = std::max(kLeft + kCellWidth * double(grid.lengths.size()) + 16, 320.0);
    const double height = kTop + kCellHeight * double(grid.depths.size()) + 40;
    std::string svg = opened(width, height, title);
    for (std::size_t d = 0; d < grid.depths.size(); ++d) {
        const double y = kTop + kCellHeight * double(d);
        svg += label(kLeft - 6, y + 15, tickText(grid.depths[d]), "end");
        for (std::size_t l = 0; l < grid.lengths.size(); ++l) {
            const auto& cell = grid.at(d, l);
            if (!cell)
                continue;
            const double x = kLeft + kCellWidth * double(l);
            svg += "<rect x=\"" + fixed(x) + "\" y=\"" + fixed(y) + "\" width=\"" + fixed(kCellWidth - 1) + "\" height=\"" + fixed(kCellHeight - 1) + "\" fill=\"" + colour(cell->accuracy)
                   + "\"><title>length " + std::to_string(cell->length) + ", depth " + tickText(cell->depth) + ": " + formatFixed(100 * cell->accuracy, 1) + " % of "
                   + std::to_string(cell->trials) + " trials, " + formatFixed(100 * cell->low, 1) + " to " + formatFixed(100 * cell->high, 1) + " %</title></rect>\n";
            svg += label(x + kCellWidth / 2, y + 15, formatFixed(100 * cell->accuracy, 0) + (cell->outsideTraining ? "*" : ""), "middle",
                         cell->accuracy > 0.55 ? " fill=\"#000\"" : " fill=\"#fff\"");
        }
    }
    const double bottom = kTop + kCellHeight * double(grid.depths.size());
    for (std::size_t l = 0; l < grid.lengths.size(); ++l)
        svg += label(kLeft + kCellWidth * (double(l) + .5), bottom + 14, std::to_string(grid.lengths[l]), "middle");
    svg += label(kLeft + kCellWidth * double(grid.lengths.size()) / 2, bottom + 30, "length, tokens", "middle");
    svg += "<text transform=\"translate(14," + fixed((kTop + bottom) / 2) + ") rotate(-90)\" text-anchor=\"middle\">depth</text>\n";
    return svg + "</svg>\n";
}

std::string seedsSvg(const std::vector<std::pair<std::string, std::vector<double>>>& arms, double low, double high, const std::string& title)
{
    constexpr double kLeft = 150, kTop = 36, kRow = 26, kPlot = 420;
    const double height = kTop + kRow * double(arms.size()) + 34;
    const double span = high > low ? high - low : 1;
    const auto x = [&](double value) { return kLeft + kPlot * (value - low) / span; };
    std::string svg = opened(kLeft + kPlot + 24, height, title);
    const double bottom = kTop + kRow * double(arms.size());
    for (const double tick : ticks(low, low + span)) {
        svg += line(x(tick), kTop - 4, x(tick), bottom, "stroke=\"#ddd\"");
        svg += label(x(tick), bottom + 14, tickText(tick), "middle");
    }
    for (std::size_t a = 0; a < arms.size(); ++a) {
        const double y = kTop + kRow * (double(a) + .5);
        svg += label(kLeft - 10, y + 4, arms[a].first, "end");
        const std::string fill = kArmColours[a % kArmColours.size()];
        double sum = 0;
        int count = 0;
        for (const double value : arms[a].second) {
            if (!std::isfinite(value))
                continue;
            svg += "<circle cx=\"" + fixed(x(value)) + "\" cy=\"" + fixed(y) + "\" r=\"4\" fill=\"" + fill + "\" fill-opacity=\"0.7\"/>\n";
            sum += value;
            ++count;
        }
        if (count > 0)
            svg += line(x(sum / count), y - 9, x(sum / count), y + 9, "stroke=\"" + fill + "\" stroke-width=\"2\"");
    }
    return svg + "</svg>\n";
}

std::string curvesSvg(const std::vector<NamedCurve>& curves, const std::string& title, const std::string& yLabel)
{
    constexpr double kLeft = 62, kTop = 34, kWidth = 460, kHeight = 240;
    constexpr std::size_t kMostPoints = 600;
    double lowX = INFINITY, highX = -INFINITY, lowY = INFINITY, highY = -INFINITY;
    for (const NamedCurve& named : curves)
        for (std::size_t i = 0; i < named.curve.size(); ++i) {
            if (!std::isfinite(named.curve.y[i]))
                continue;
            lowX = std::min(lowX, named.curve.x[i]);
            highX = std::max(highX, named.curve.x[i]);
            lowY = std::min(lowY, named.curve.y[i]);
            highY = std::max(highY, named.curve.y[i]);
        }
    std::map<std::string, std::size_t> arms;
    for (const NamedCurve& named : curves)
        arms.try_emplace(named.arm, arms.size());
    std::string svg = opened(kLeft + kWidth + 150, kTop + kHeight + 44, title);
    if (!(lowX <= highX))
        return svg + label(kLeft, kTop + 30, "no values", "start") + "</svg>\n";
    const auto x = [&](double v) { return kLeft + kWidth * (highX > lowX ? (v - lowX) / (highX - lowX) : .5); };
    const auto y = [&](double v) { return kTop + kHeight * (highY > lowY ? 1 - (v - lowY) / (highY - lowY) : .5); };
    for (const double tick : ticks(lowY, highY)) {
        svg += line(kLeft, y(tick), kLeft + kWidth, y(tick), "stroke=\"#ddd\"");
        svg += label(kLeft - 6, y(tick) + 4, tickText(tick), "end");
    }
    for (const double tick : ticks(lowX, highX))
        svg += label(x(tick), kTop + kHeight + 16, tickText(tick), "middle");
    svg += label(kLeft + kWidth / 2, kTop + kHeight + 34, "step", "middle");
    svg += "<text transform=\"translate(14," + fixed(kTop + kHeight / 2) + ") rotate(-90)\" text-anchor=\"middle\">" + xmlText(yLabel) + "</text>\n";
    for (const NamedCurve& named : curves) {
        // Long curves keep the extremes of each stretch.
        const std::size_t stretch = std::max<std::size_t>(1, 2 * named.curve.size() / kMostPoints);
        std::string path;
        bool pen = false;
        const auto put = [&](std::size_t i) {
            if (!std::isfinite(named.curve.y[i])) {
                pen = false;
                return;
            }
            path += (pen ? " L" : " M") + fixed(x(named.curve.x[i])) + " " + fixed(y(named.curve.y[i]));
            pen = true;
        };
        for (std::size_t begin = 0; begin < named.curve.size(); begin += stretch) {
            const std::size_t end = std::min(begin + stretch, named.curve.size());
            const auto range = std::minmax_element(named.curve.y.begin() + std::ptrdiff_t(begin), named.curve.y.begin() + std::ptrdiff_t(end));
            const std::size_t a = std::size_t(range.first - named.curve.y.begin()), b = std::size_t(range.second - named.curve.y.begin());
            put(std::min(a, b));
            if (a != b)
                put(std::max(a, b));
        }
        if (!path.empty())
            svg += "<path d=\"" + path.substr(1) + "\" fill=\"none\" stroke=\"" + kArmColours[arms[named.arm] % kArmColours.size()] + "\" stroke-width=\"1.2\" stroke-opacity=\"0.8\"/>\n";
    }
    for (const auto& [arm, index] : arms) {
        const double row = kTop + 12 + 18 * double(index);
        svg += line(kLeft + kWidth + 12, row - 4, kLeft + kWidth + 30, row - 4, std::string("stroke=\"") + kArmColours[index % kArmColours.size()] + "\" stroke-width=\"2\"");
        svg += label(kLeft + kWidth + 36, row, arm, "start");
    }
    return svg + "</svg>\n";
}

}  // namespace holo::report
