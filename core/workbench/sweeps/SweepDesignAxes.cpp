// SPDX-License-Identifier: GPL-3.0-or-later

// SweepDesign.h: along what a sweep can be drawn, and its curves.

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/config/ConfigText.h"
#include "core/config/RunId.h"
#include "core/imaging/drawing/CurvePlot.h"
#include "core/workbench/sweeps/SweepDesign.h"

namespace headlight {
namespace {

Json settingsOf(const SweepVariant& variant) {
  Json json =
      variant.sequence ? sequenceToJson(*variant.sequence) : experimentToJson(variant.experiment);
  json.erase("name");
  json.erase("seed");
  json.erase("edits");
  return json;
}

std::optional<double> numberIn(const std::string& json) {
  const Json value = jsonOrDiscarded(json);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

/// "softmax" of "\"softmax\"".
std::string plainText(const std::string& json) {
  const Json value = jsonOrDiscarded(json);
  return value.is_string() ? value.get<std::string>() : json;
}

void addAxis(std::vector<SweepAxis>& axes, const ConfigDifference& one, std::size_t variant,
             std::size_t variants) {
  auto axis = std::find_if(axes.begin(), axes.end(),
                           [&](const SweepAxis& known) { return known.path == one.path; });
  if (axis == axes.end()) {
    axes.push_back({one.path, false, std::vector<std::string>(variants, one.first)});
    axis = axes.end() - 1;
  }
  axis->values[variant] = one.second;
}

bool isNumeric(const SweepAxis& axis) {
  return std::all_of(axis.values.begin(), axis.values.end(),
                     [](const std::string& value) { return numberIn(value).has_value(); });
}

/// In the order of the variants.
std::vector<std::string> distinct(const std::vector<std::string>& values) {
  std::vector<std::string> result;
  for (const std::string& value : values)
    if (std::find(result.begin(), result.end(), value) == result.end()) result.push_back(value);
  return result;
}

/// Whether the values of `axis` say no more than those of `by`.
bool follows(const SweepAxis& axis, const SweepAxis& by) {
  std::map<std::string, std::string> value;
  for (std::size_t i = 0; i < axis.values.size(); ++i)
    if (const auto [known, isNew] = value.emplace(by.values[i], axis.values[i]);
        !isNew && known->second != axis.values[i])
      return false;
  return true;
}

std::vector<std::string> partsOf(const std::string& name, const std::string& separator) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t at = 0; at != std::string::npos; from = at + separator.size()) {
    at = name.find(separator, from);
    parts.push_back(name.substr(from, at - from));
  }
  return parts;
}

/// The parts of the first name that all names have; `beginning`: up to the first that one lacks.
std::string commonParts(const std::vector<std::string>& names, const std::string& separator,
                        bool beginning) {
  std::string text;
  for (const std::string& part : partsOf(names.front(), separator)) {
    const bool everywhere = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
      const auto parts = partsOf(name, separator);
      return std::find(parts.begin(), parts.end(), part) != parts.end();
    });
    if (everywhere)
      addTo(text, part, separator);
    else if (beginning)
      break;
  }
  return text;
}

/// What names have in common: "sch1" of "sch1, depth 6" and "sch1, depth 12"; "IBiT" of "IBiT 5 %"
/// and "IBiT 10 %".
std::string commonName(const std::vector<std::string>& names) {
  const std::string parts = commonParts(names, ", ", /*beginning=*/false);
  return parts.empty() ? commonParts(names, " ", /*beginning=*/true) : parts;
}

struct Group {
  std::string key;  ///< the values of all other settings
  std::vector<std::size_t> variants;
};

/// Variants that differ in the axis, and in what follows from it, alone.
std::vector<Group> groupsOf(const std::vector<SweepAxis>& axes, const SweepAxis& axis) {
  std::vector<Group> groups;
  for (std::size_t v = 0; v < axis.values.size(); ++v) {
    std::string key;
    for (const SweepAxis& other : axes)
      if (!follows(other, axis)) key.append(other.values[v]).append("\n");
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& known) { return known.key == key; });
    if (group == groups.end()) group = groups.insert(groups.end(), Group{key, {}});
    group->variants.push_back(v);
  }
  return groups;
}

/// What tells this group from the others: the values of its other settings that do, the fewest.
std::string settingsText(const std::vector<SweepAxis>& axes, const SweepAxis& axis,
                         std::size_t variant) {
  std::vector<std::string> parts;
  std::vector<const SweepAxis*> said;
  for (const SweepAxis& other : axes) {
    const bool known =
        follows(other, axis) || std::any_of(said.begin(), said.end(), [&](const SweepAxis* before) {
          return follows(other, *before);
        });
    if (known) continue;
    said.push_back(&other);
    const std::string value = plainText(other.values[variant]);
    parts.push_back(other.numeric ? other.path.substr(other.path.rfind('.') + 1) + " " + value
                                  : value);
  }
  return joined(parts);
}

std::vector<std::string> namesOf(const SweepPlan& plan, const std::vector<SweepAxis>& axes,
                                 const SweepAxis& axis, const std::vector<Group>& groups) {
  std::vector<std::string> names;
  for (const Group& group : groups) {
    std::vector<std::string> variants;
    for (const std::size_t v : group.variants)
      variants.push_back(plan.variants[v].name);
    names.push_back(commonName(variants));
  }
  const bool tellApart = distinct(names).size() == names.size() &&
                         std::find(names.begin(), names.end(), "") == names.end();
  for (std::size_t i = 0; i < groups.size() && !tellApart; ++i)
    names[i] = settingsText(axes, axis, groups[i].variants.front());
  return names;
}

const SweepRow* rowOf(const std::vector<SweepRow>& rows, const std::string& variant) {
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const SweepRow& one) { return one.name == variant; });
  return row == rows.end() ? nullptr : &*row;
}

double keyOf(const SweepAxis& axis, std::size_t variant, const std::vector<std::string>& labels) {
  if (axis.numeric) return *numberIn(axis.values[variant]);
  const auto place = std::find(labels.begin(), labels.end(), plainText(axis.values[variant]));
  return static_cast<double>(place - labels.begin());
}

SweepSeries seriesOf(const SweepPlan& plan, const std::vector<SweepRow>& rows,
                     const SweepAxis& axis, const Group& group, const SweepCurves& curves) {
  std::vector<std::pair<double, SweepStatistic>> points;
  for (const std::size_t v : group.variants)
    if (const SweepRow* row = rowOf(rows, plan.variants[v].name))
      points.emplace_back(keyOf(axis, v, curves.labels), row->best);
  std::stable_sort(points.begin(), points.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  SweepSeries series;
  for (const auto& [key, value] : points) {
    series.keys.push_back(key);
    series.values.push_back(value);
  }
  return series;
}

}  // namespace

std::vector<SweepAxis> sweepAxes(const SweepPlan& plan) {
  std::vector<SweepAxis> axes;
  for (std::size_t v = 1; v < plan.variants.size(); ++v)
    for (const ConfigDifference& one :
         configDifferences(settingsOf(plan.variants[0]), settingsOf(plan.variants[v])))
      addAxis(axes, one, v, plan.variants.size());
  for (SweepAxis& axis : axes)
    axis.numeric = isNumeric(axis);
  const auto scheme = std::find_if(
      axes.begin(), axes.end(), [](const SweepAxis& axis) { return axis.path == "masks.scheme"; });
  if (scheme != axes.end()) {
    const SweepAxis byName = *scheme;
    std::erase_if(axes, [&](const SweepAxis& axis) {
      return axis.path.starts_with("masks.cells") && follows(axis, byName);
    });
  }
  std::stable_partition(axes.begin(), axes.end(), [](const SweepAxis& a) { return a.numeric; });
  return axes;
}

Result<SweepCurves> sweepCurves(const SweepPlan& plan, const std::vector<SweepRow>& rows,
                                const std::string& path) {
  const std::vector<SweepAxis> axes = sweepAxes(plan);
  const auto axis = std::find_if(axes.begin(), axes.end(),
                                 [&](const SweepAxis& one) { return one.path == path; });
  if (axis == axes.end()) {
    std::vector<std::string> known;
    for (const SweepAxis& one : axes)
      known.push_back(one.path);
    return Error{ErrorCode::InvalidArgument,
                 known.empty()
                     ? tr("the variants do not differ in any setting")
                     : tr("the variants do not differ in it; they differ in ") + joined(known),
                 path};
  }
  SweepCurves curves{path, {}, {}, sweepReference(plan, rows), sweepSeedsText(rows)};
  if (!axis->numeric)
    for (const std::string& value : distinct(axis->values))
      curves.labels.push_back(plainText(value));
  const std::vector<Group> groups = groupsOf(axes, *axis);
  const std::vector<std::string> names = namesOf(plan, axes, *axis, groups);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    SweepSeries series = seriesOf(plan, rows, *axis, groups[i], curves);
    series.name = names[i];
    if (!series.keys.empty()) curves.series.push_back(std::move(series));
  }
  return curves;
}

std::string sweepValueTitle(const SweepPlan& plan) {
  return plan.ofSequences() ? std::string("Best ").append(plan.variants.front().sequence->unit())
                            : "Best " + plan.scoreName() + " (%)";
}

double sweepValueScale(const SweepPlan& plan) {
  return plan.ofSequences() ? 1 : 100;
}

std::string sweepCurvesCsv(const SweepPlan& plan, const SweepCurves& curves) {
  const double scale = sweepValueScale(plan);
  const auto cell = [](double value) { return std::isfinite(value) ? numberText(value) : ""; };
  std::string text = "series," + csvQuoted(curves.axis) + ",mean,deviation\n";
  for (const SweepSeries& series : curves.series)
    for (std::size_t i = 0; i < series.keys.size(); ++i) {
      const std::string key =
          curves.labels.empty()
              ? numberText(series.keys[i])
              : csvQuoted(curves.labels[static_cast<std::size_t>(series.keys[i])]);
      text.append(csvQuoted(series.name)).append(",").append(key).append(",");
      text.append(cell(scale * series.values[i].mean)).append(",");
      text.append(cell(scale * series.values[i].deviation)).append("\n");
    }
  return text;
}

Result<void> writeSweepCurves(const std::filesystem::path& path, const SweepPlan& plan,
                              const SweepCurves& curves) {
  const double scale = sweepValueScale(plan);
  std::vector<PlottedCurve> lines;
  for (std::size_t i = 0; i < curves.series.size(); ++i) {
    const SweepSeries& series = curves.series[i];
    PlottedCurve line{series.name, {}, {}};
    line.joined = !curves.ofNames();
    for (const double key : series.keys)
      line.keys.push_back(curves.drawnKey(i, key));
    for (const SweepStatistic& value : series.values) {
      line.values.push_back(scale * value.mean);
      line.deviations.push_back(scale * value.deviation);
    }
    lines.push_back(std::move(line));
  }
  CurveTitles titles{sweepQuantityTitle(plan, curves), curves.axis, curves.labels, true};
  titles.reference = scale * curves.reference.value;
  titles.referenceName = curves.reference.isChance ? tr("chance") : "";
  return writeDrawing(path, drawCurves(lines, titles));
}

}  // namespace headlight
