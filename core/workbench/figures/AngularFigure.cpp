// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/figures/AngularFigure.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "core/base/Text.h"
#include "core/base/files/Files.h"
#include "core/workbench/figures/RunFigure.h"

namespace headlight {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

/// A curve of the angle alone, by degrees.
PlottedCurve angleCurve(const std::string& name, double (*value)(double)) {
  PlottedCurve curve{name, {}, {}};
  for (int degree = 0; degree <= 180; ++degree) {
    curve.keys.push_back(degree);
    curve.values.push_back(value(degree / kDegrees));
  }
  return curve;
}

PlottedCurve measuredCurve(const std::string& name, const KernelBins& bins,
                           const AngleTable& table) {
  PlottedCurve curve{name, {}, {}};
  for (int b = 0; b < table.bins(); ++b)
    if (const auto at = static_cast<std::size_t>(b); std::isfinite(bins.mean[at])) {
      curve.keys.push_back(table.binAngle(b) * kDegrees);
      curve.values.push_back(bins.mean[at]);
      curve.deviations.push_back(bins.deviation[at]);
    }
  return curve;
}

/// Divides by the largest absolute value, and returns that.
double scaleToOne(PlottedCurve& curve) {
  double largest = 0;
  for (const double value : curve.values)
    largest = std::max(largest, std::abs(value));
  if (largest <= 0) return 1;
  for (std::vector<double>* numbers : {&curve.values, &curve.deviations})
    for (double& number : *numbers)
      number /= largest;
  return largest;
}

/// Shares of bins as a line with steps, in % a degree.
PlottedCurve angleSteps(const std::string& name, const std::vector<double>& shares) {
  PlottedCurve curve{name, {}, {}};
  const double width = 180.0 / static_cast<double>(shares.size());
  for (std::size_t b = 0; b < shares.size(); ++b)
    for (const double edge : {0.0, 1.0}) {
      curve.keys.push_back((static_cast<double>(b) + edge) * width);
      curve.values.push_back(100 * shares[b] / width);
    }
  return curve;
}

std::string angleCell(double value) {
  if (!std::isfinite(value)) return "";
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, 9).ptr};
}

void addAngleRows(std::string& csv, const std::string& part, const AnglePanel& panel) {
  for (std::size_t c = 0; c < panel.curves.size(); ++c) {
    const PlottedCurve& curve = panel.curves[c];
    for (std::size_t i = 0; i < curve.keys.size(); ++i) {
      csv.append(part).append(",").append(csvQuoted(curve.name));
      csv.append(",").append(angleCell(curve.keys[i]));
      csv.append(",").append(angleCell(curve.values[i] * panel.scales[c])).append(",");
      if (!curve.deviations.empty()) csv += angleCell(curve.deviations[i] * panel.scales[c]);
      csv.append(",").append(angleCell(panel.scales[c])).append("\n");
    }
  }
}

std::vector<std::pair<std::string, AnglePanel>> panelsOf(int terms, const AngleTable* table) {
  std::vector<std::pair<std::string, AnglePanel>> panels{{"expansion", expansionPanel(terms)},
                                                         {"kernels", kernelsPanel(table)}};
  if (table) panels.emplace_back("picture", imagePanel(*table));
  return panels;
}

std::string countText(std::int64_t pairs) {
  char text[48];
  if (pairs < 100000)
    std::snprintf(text, sizeof text, "%lld pairs", static_cast<long long>(pairs));
  else
    std::snprintf(text, sizeof text, "%.3g million pairs", static_cast<double>(pairs) / 1e6);
  return text;
}

}  // namespace

AnglePanel expansionPanel(int terms) {
  AnglePanel panel{"similarity", {}, {}};
  panel.curves.push_back(angleCurve("angular kernel", angularKernel));
  panel.curves.push_back(angleCurve("linear terms", angularLinear));
  panel.curves.push_back(angleCurve("residual", angularResidual));
  PlottedCurve partial;
  partial.name =
      "linear and " + std::to_string(terms) + (terms == 1 ? " term more" : " terms more");
  for (int degree = 0; degree <= 180; ++degree) {
    partial.keys.push_back(degree);
    partial.values.push_back(angularPartial(degree / kDegrees, terms));
  }
  panel.curves.push_back(std::move(partial));
  panel.scales.assign(panel.curves.size(), 1);
  return panel;
}

AnglePanel kernelsPanel(const AngleTable* table) {
  AnglePanel panel{"kernel, largest 1", {}, {}};
  const auto add = [&](PlottedCurve curve) {
    panel.scales.push_back(scaleToOne(curve));
    panel.curves.push_back(std::move(curve));
  };
  for (const KernelInfo& kernel : shownKernels()) {
    if (kernel.name == "linear_angular") add(angleCurve(kernel.title, angularLinear));
    if (kernel.name == "cosine")
      add(angleCurve(kernel.title, [](double angle) { return std::cos(angle); }));
    if (kernel.ofAngle || !table) continue;
    const auto found =
        std::find_if(table->kernels.begin(), table->kernels.end(),
                     [&](const KernelBins& bins) { return bins.name == kernel.name; });
    if (found != table->kernels.end()) add(measuredCurve(kernel.title, *found, *table));
  }
  return panel;
}

AnglePanel imagePanel(const AngleTable& table) {
  AnglePanel panel{"pairs, % a degree", {angleSteps(table.subject, table.share)}, {1}};
  if (!table.tokenShare.empty()) {
    panel.curves.push_back(angleSteps("keys of the " + table.tokenText, table.tokenShare));
    panel.scales.push_back(1);
  }
  return panel;
}

std::string anglesText(const AngleTable& table) {
  char angle[64];
  std::snprintf(angle, sizeof angle, ", mean angle %.1f° ± %.1f°", table.mean * kDegrees,
                table.deviation * kDegrees);
  std::string text = countText(table.pairs) + angle;
  for (const std::string& note : {table.note, table.tokenNote})
    if (!note.empty()) text += "; " + note;
  return text;
}

std::string anglesCsv(int terms, const AngleTable* table) {
  std::string csv = "panel,line,degrees,value,deviation,scale\n";
  for (const auto& [part, panel] : panelsOf(terms, table))
    addAngleRows(csv, part, panel);
  return csv;
}

Drawing anglesDrawing(int terms, const AngleTable* table, const std::string& subject) {
  std::vector<Drawing> parts;
  for (auto& [part, panel] : panelsOf(terms, table)) {
    for (PlottedCurve& curve : panel.curves)
      curve.deviations.clear();  // numbers have them; of seven lines nobody would see whose
    parts.push_back(drawCurves(
        panel.curves, {.quantity = panel.quantity, .axis = "angle of query and key, degrees"}));
  }
  Drawing drawing = oneBelowTheOther(parts);
  drawing.title = subject.empty() ? "angular kernel" : "angular kernel: " + subject;
  if (table) {
    drawing.texts.push_back({66, drawing.height + 8, subject + ": " + anglesText(*table), 11,
                             DrawnText::Anchor::Left, 60});
    drawing.height += 20;
  }
  return drawing;
}

Drawing oneBelowTheOther(const std::vector<Drawing>& parts) {
  Drawing whole;
  for (const Drawing& part : parts) {
    for (DrawnLine line : part.lines) {
      for (auto& point : line.points)
        point.second += whole.height;
      whole.lines.push_back(std::move(line));
    }
    for (DrawnImage image : part.images) {
      image.y += whole.height;
      whole.images.push_back(std::move(image));
    }
    for (DrawnText words : part.texts) {
      words.y += whole.height;
      whole.texts.push_back(std::move(words));
    }
    whole.width = std::max(whole.width, part.width);
    whole.height += part.height;
  }
  return whole;
}

Result<void> writeAngles(const std::filesystem::path& path, int terms, const AngleTable* table,
                         const std::string& subject) {
  if (auto known = checkFigureName(path); !known) return known;
  if (path.extension() == ".csv") return writeFileAtomically(path, anglesCsv(terms, table));
  return writeDrawing(path, anglesDrawing(terms, table, subject));
}

}  // namespace headlight
