// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/figures/RunFigure.h"

#include <charconv>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/imaging/drawing/CurvePlot.h"

namespace headlight {
namespace {

std::string nineDigits(double value) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, 9).ptr};
}

std::string curveCell(const std::string& text) {
  return text.find_first_of(",\"\n") == std::string::npos ? text : csvQuoted(text);
}

}  // namespace

std::string runCurvesCsv(const std::vector<NamedCurve>& curves, RunAxis axis) {
  std::string text = "line," + runAxes()[static_cast<std::size_t>(axis)].title + ",value\n";
  for (const NamedCurve& line : curves)
    for (std::size_t i = 0; i < line.curve.keys.size(); ++i)
      text.append(curveCell(line.name))
          .append(",")
          .append(nineDigits(line.curve.keys[i]))
          .append(",")
          .append(nineDigits(line.curve.values[i]))
          .append("\n");
  return text;
}

Result<void> checkFigureName(const std::filesystem::path& path) {
  if (path.extension() == ".csv" || isDrawingName(path)) return {};
  return Error{ErrorCode::InvalidArgument,
               tr("a figure of curves must end in .pdf, .svg or .png, its numbers in .csv"),
               path.string()};
}

Result<void> writeRunCurves(const std::filesystem::path& path,
                            const std::vector<NamedCurve>& curves, const RunQuantity& quantity,
                            RunAxis axis) {
  if (auto known = checkFigureName(path); !known) return known;
  const std::string kind = path.extension().string();
  if (kind == ".csv") return writeFileAtomically(path, runCurvesCsv(curves, axis));
  std::vector<PlottedCurve> lines;
  for (const NamedCurve& line : curves) {
    PlottedCurve& drawn = lines.emplace_back();
    drawn = {line.name, line.curve.keys, line.curve.values};
    for (const RunMark& mark : line.marks)
      drawn.marks.emplace_back(mark.key, mark.text);
  }
  const std::string axisTitle = runAxes()[static_cast<std::size_t>(axis)].title;
  return writeDrawing(path, drawCurves(lines, {quantity.title, axisTitle}));
}

}  // namespace headlight
