#pragma once

#include <QString>

namespace holo::widgets {

class Plot;

// Size on paper and font size of an exported figure.
struct ExportOptions {
    double widthMm = 140;
    double heightMm = 90;
    double fontPt = 9;
    double pngDpi = 300;
};

// Writes .pdf, .svg, .png or .csv by the file's ending, in the light theme, next to where it will lie and renamed into place. Returns an
// empty text, or one sentence that says what failed.
QString exportPlot(Plot& plot, const QString& file, const ExportOptions& options = {});

}  // namespace holo::widgets
