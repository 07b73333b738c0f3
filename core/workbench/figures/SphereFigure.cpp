// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/figures/SphereFigure.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "core/base/files/Files.h"
#include "core/workbench/figures/RunFigure.h"

namespace headlight {
namespace {

// Units of 1/96 inch: two panels and the key beside them.
constexpr double kSphereWidth = 760, kRowHeight = 320, kRadius = 125, kInputsX = 150,
                 kImagesX = 440, kCenterY = 165, kKeyX = 590;
constexpr double kRadians = std::numbers::pi / 180;
constexpr DrawnColor kQueryColor{0x00, 0x72, 0xb2}, kKeyColor{0xd5, 0x5e, 0x00},
    kOutlineColor{190, 190, 190};

/// Behind the sphere's middle a color is paler.
DrawnColor paled(const DrawnColor& color, double near) {
  const double share = near >= 0 ? 0 : 0.6 * std::min(1.0, -near);
  const auto mix = [share](std::uint8_t value) {
    return static_cast<std::uint8_t>(std::lround(value + (255 - value) * share));
  };
  return {mix(color.red), mix(color.green), mix(color.blue)};
}

void addSphereText(Drawing& drawing, double x, double y, const std::string& text,
                   DrawnText::Anchor anchor = DrawnText::Anchor::Middle) {
  drawing.texts.push_back({x, y, text, 11, anchor, 60});
}

/// A great circle about `center`, through two directions.
void addCircle(Drawing& drawing, double x, double y, const double (&a)[3], const double (&b)[3],
               int dimensions, const SphereView& view) {
  DrawnLine line{{}, kOutlineColor, 1};
  for (int degree = 0; degree <= 360; degree += 4) {
    const double angle = degree * kRadians;
    double point[3];
    for (int i = 0; i < 3; ++i)
      point[i] = std::cos(angle) * a[i] + std::sin(angle) * b[i];
    const SeenPoint seen = seenPoint(point, dimensions, view);
    line.points.emplace_back(x + kRadius * seen.right, y - kRadius * seen.up);
  }
  drawing.lines.push_back(std::move(line));
}

/// What is seen of the circle or sphere: its edge, and of a sphere the planes of its axes.
void addOutline(Drawing& drawing, double x, double y, int dimensions, const SphereView& view) {
  constexpr double kFirst[3] = {1, 0, 0}, kSecond[3] = {0, 1, 0}, kThird[3] = {0, 0, 1};
  addCircle(drawing, x, y, kFirst, kSecond, /*dimensions=*/2, {});
  if (dimensions < 3) return;
  addCircle(drawing, x, y, kFirst, kSecond, 3, view);
  addCircle(drawing, x, y, kFirst, kThird, 3, view);
  addCircle(drawing, x, y, kSecond, kThird, 3, view);
}

void addCross(Drawing& drawing, double x, double y) {
  constexpr double kArm = 5;
  drawing.lines.push_back({{{x - kArm, y}, {x + kArm, y}}, kOutlineColor, 1});
  drawing.lines.push_back({{{x, y - kArm}, {x, y + kArm}}, kOutlineColor, 1});
}

struct SphereDot {
  SeenPoint at;
  DrawnColor color;
  bool marked;
};

void collectDots(std::vector<SphereDot>& dots, const std::vector<double>& points, double scale,
                 const DrawnColor& color, const SphereTable& table, const SphereView& view) {
  const int dimensions = table.dimensions;
  for (std::size_t i = 0; i + dimensions <= points.size(); i += dimensions) {
    SeenPoint seen = seenPoint(points.data() + i, dimensions, view);
    seen.right *= scale, seen.up *= scale, seen.near *= scale;
    dots.push_back({seen, color, static_cast<int>(i) / dimensions == table.token});
  }
}

/// The far ones first; the marked ones on top, with a line from the middle.
void addDots(Drawing& drawing, double x, double y, std::vector<SphereDot> dots) {
  constexpr double kDot = 3, kMarked = 8;
  std::stable_sort(dots.begin(), dots.end(), [](const SphereDot& a, const SphereDot& b) {
    return a.marked != b.marked ? b.marked : a.at.near < b.at.near;
  });
  for (const SphereDot& dot : dots) {
    const std::pair<double, double> place{x + kRadius * dot.at.right, y - kRadius * dot.at.up};
    if (dot.marked) drawing.lines.push_back({{{x, y}, place}, dot.color, 1.5});
    drawing.lines.push_back({{place},
                             dot.marked ? dot.color : paled(dot.color, dot.at.near),
                             dot.marked ? kMarked : kDot});
  }
}

double longestOf(const SphereHead& head, int dimensions) {
  double longest = 0;
  for (const SpherePoints* points : {&head.queries, &head.keys})
    for (int i = 0; i < points->count(); ++i) {
      double square = 0;
      for (int d = 0; d < dimensions; ++d)
        square += std::pow(points->inputs[static_cast<std::size_t>(i) * dimensions + d], 2);
      longest = std::max(longest, std::sqrt(square));
    }
  return longest;
}

void addHead(Drawing& drawing, double top, const SphereTable& table, const SphereHead& head,
             const SphereView& view) {
  const double y = top + kCenterY, longest = longestOf(head, table.dimensions);
  const double scale = longest > 0 ? 1 / longest : 0;
  addCross(drawing, kInputsX, y);
  addOutline(drawing, kImagesX, y, table.dimensions, view);
  std::vector<SphereDot> inputs, images;
  collectDots(inputs, head.queries.inputs, scale, kQueryColor, table, view);
  collectDots(inputs, head.keys.inputs, scale, kKeyColor, table, view);
  collectDots(images, head.queries.images, 1, kQueryColor, table, view);
  collectDots(images, head.keys.images, 1, kKeyColor, table, view);
  addDots(drawing, kInputsX, y, std::move(inputs));
  addDots(drawing, kImagesX, y, std::move(images));
  addSphereText(drawing, kInputsX, top + 20, "inputs");
  addSphereText(drawing, kImagesX, top + 20,
                table.dimensions == 2 ? "image on the circle" : "image on the sphere");
  char length[64];
  std::snprintf(length, sizeof length, "longest %.3g", longest);
  addSphereText(drawing, kInputsX, top + kRowHeight - 10, length);
  addSphereText(drawing, 24, top + kRowHeight - 28,
                "layer " + std::to_string(head.layer) + ", head " + std::to_string(head.head),
                DrawnText::Anchor::Left);
  addSphereText(drawing, kImagesX, top + kRowHeight - 10, sphereText(head));
}

void addColorKey(Drawing& drawing, const SphereTable& table) {
  double y = 40;
  const auto entry = [&](const DrawnColor& color, const std::string& text) {
    drawing.lines.push_back({{{kKeyX, y - 4}}, color, 8});
    addSphereText(drawing, kKeyX + 14, y, text, DrawnText::Anchor::Left);
    y += 18;
  };
  entry(kQueryColor, "queries");
  entry(kKeyColor, "keys");
  if (table.token >= 0)
    addSphereText(drawing, kKeyX - 4, y, "large: " + table.tokenText, DrawnText::Anchor::Left);
}

std::string sphereNumber(double value) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, 9).ptr};
}

void addSphereRows(std::string& csv, const SphereHead& head, const char* kind,
                   const SpherePoints& points, int dimensions) {
  const std::string front =
      std::to_string(head.layer) + "," + std::to_string(head.head) + "," + kind + ",";
  for (int i = 0; i < points.count(); ++i) {
    csv += front + std::to_string(i);
    for (const std::vector<double>* values : {&points.inputs, &points.images})
      for (int d = 0; d < dimensions; ++d)
        csv += "," + sphereNumber((*values)[static_cast<std::size_t>(i) * dimensions + d]);
    csv += "," + sphereNumber(points.shares[static_cast<std::size_t>(i)]) + "\n";
  }
}

}  // namespace

SeenPoint seenPoint(const double* point, int dimensions, const SphereView& view) {
  if (dimensions < 3) return {point[0], point[1], 0};
  const double turn = view.azimuth * kRadians, lift = view.elevation * kRadians;
  const double right = std::cos(turn) * point[1] - std::sin(turn) * point[0],
               away = std::cos(turn) * point[0] + std::sin(turn) * point[1];
  return {right, std::cos(lift) * point[2] - std::sin(lift) * away,
          std::cos(lift) * away + std::sin(lift) * point[2]};
}

std::string sphereText(const SphereHead& head) {
  std::string text = "axes show ";
  for (std::size_t i = 0; i < head.axisShares.size(); ++i) {
    char share[32];
    std::snprintf(share, sizeof share, "%s%.0f %%", i == 0 ? "" : " + ", 100 * head.axisShares[i]);
    text += share;
  }
  return text + " of the unit vectors";
}

Drawing sphereDrawing(const SphereTable& table, const SphereView& view,
                      const std::string& subject) {
  Drawing drawing{kSphereWidth, 0, "queries and keys on the sphere", {}, {}};
  if (!subject.empty()) drawing.title += ": " + subject;
  for (const SphereHead& head : table.heads) {
    addHead(drawing, drawing.height, table, head, view);
    drawing.height += kRowHeight;
  }
  addColorKey(drawing, table);
  std::string words = subject.empty() ? table.subject : subject + ", " + table.subject;
  if (!table.note.empty()) words += "; " + table.note;
  addSphereText(drawing, 24, drawing.height + 14, words, DrawnText::Anchor::Left);
  drawing.height += 26;
  return drawing;
}

std::string sphereCsv(const SphereTable& table) {
  std::string csv = "layer,head,kind,token";
  for (const char* what : {"input", "image"})
    for (int d = 1; d <= table.dimensions; ++d)
      csv += std::string(",") + what + "_" + std::to_string(d);
  csv += ",share\n";
  for (const SphereHead& head : table.heads) {
    addSphereRows(csv, head, "query", head.queries, table.dimensions);
    addSphereRows(csv, head, "key", head.keys, table.dimensions);
  }
  return csv;
}

Result<void> writeSphere(const std::filesystem::path& path, const SphereTable& table,
                         const SphereView& view, const std::string& subject) {
  if (auto known = checkFigureName(path); !known) return known;
  if (path.extension() == ".csv") return writeFileAtomically(path, sphereCsv(table));
  return writeDrawing(path, sphereDrawing(table, view, subject));
}

}  // namespace headlight
