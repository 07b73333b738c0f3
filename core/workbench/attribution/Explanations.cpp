// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/attribution/Explanations.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/config/Parameter.h"
#include "core/workbench/attribution/ExplanationRows.h"
#include "core/workbench/session/Images.h"

namespace headlight {
namespace {

Error noSuchClass(const std::string& text, const ModelInfo& info) {
  const std::string close = closestName(text, info.classNames);
  const std::string range =
      tr("an index from 0 to ") + std::to_string(info.experiment.model.classes - 1);
  return {ErrorCode::InvalidArgument,
          tr("is not a class of this model; give ") +
              (close.empty() ? range + (info.classNames.empty() ? "" : tr(", or a class name"))
                             : "\"" + close + tr("\", or ") + range),
          "class " + text};
}

/// Names that methods had before; whatever reads a name takes them.
constexpr std::pair<const char*, const char*> kOlderNames[] = {
    {"features", "feature-pca"},
    {"depth", "logit-lens"},
};

std::string namesWithoutClass() {
  return explanationNames([](const ExplanationInfo& method) { return !method.ofClass; });
}

const std::vector<ExplanationRow>& explanationRows() {
  static const std::vector<ExplanationRow> all = [] {
    std::vector<ExplanationRow> rows;
    for (const auto row : kExplanationRows)
      rows.push_back(row());
    return rows;
  }();
  return all;
}

}  // namespace

const ExplanationRow& explanationRow(const std::string& name) {
  const ExplanationInfo* info = explanationFromName(name);
  if (!info)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("is not an explanation method; choose one of ") +
                       explanationNames([](const ExplanationInfo&) { return true; }),
                   name});
  return explanationRows()[static_cast<std::size_t>(info - explanationMethods().data())];
}

const std::vector<ExplanationInfo>& explanationMethods() {
  static const std::vector<ExplanationInfo> all = [] {
    std::vector<ExplanationInfo> infos;
    for (const ExplanationRow& row : explanationRows())
      infos.push_back(row.info);
    return infos;
  }();
  return all;
}

const ExplanationInfo* explanationFromName(const std::string& name) {
  for (const ExplanationInfo& info : explanationMethods())
    if (info.name == name) return &info;
  for (const auto& [older, now] : kOlderNames)
    if (name == older) return explanationFromName(now);
  return nullptr;
}

const ExplanationInfo& findInfo(const std::string& method) {
  return explanationRow(method).info;
}

const ExplanationInfo& explanationOfKind(ExplanationKind kind) {
  const auto& all = explanationMethods();
  return *std::find_if(all.begin(), all.end(),
                       [kind](const ExplanationInfo& info) { return info.kind == kind; });
}

std::string explanationNames(const std::function<bool(const ExplanationInfo&)>& wanted) {
  std::string names;
  for (const ExplanationInfo& info : explanationMethods())
    if (wanted(info)) addTo(names, info.name);
  return names;
}

void requireClassifier(const ModelInfo& info, const std::string& name, const std::string& title) {
  if (info.experiment.model.classes > 0) return;
  throw Failure({ErrorCode::InvalidArgument,
                 title +
                     tr(" explains a class, but this model has no classifier; choose an "
                        "explanation without a class: ") +
                     namesWithoutClass(),
                 name});
}

RawImages rawImage(const ModelInfo& info, const Image& image) {
  const Preprocessing preprocessing = makePreprocessing(info.experiment.model);
  const ViewSize size = evaluationSize(image.width, image.height, preprocessing);
  return {1, size.height, size.width, preprocess(image, preprocessing)};
}

RawImages rawImage(const RawImages& images, std::int64_t index) {
  const std::int64_t each = 3 * images.height * images.width;
  const auto begin = images.values.begin() + index * each;
  return {1, images.height, images.width, {begin, begin + each}};
}

std::string heatmapTitle(const Heatmap& heatmap) {
  const ExplanationRow& row = explanationRow(heatmap.method);
  if (row.title) return row.title(heatmap);
  std::string title = row.info.title;
  if (heatmap.layer >= 0) title += " in layer " + std::to_string(heatmap.layer);
  if (!heatmap.className.empty()) title += " for " + heatmap.className;
  if (heatmap.cell >= 0) title += ", box of cell " + std::to_string(heatmap.cell);
  return title;
}

std::string heatmapMeaning(const Heatmap& heatmap) {
  return explanationMeaning(heatmap.method) +
         (heatmap.note.empty() ? "" : " Here: " + heatmap.note + ".");
}

std::string explanationMeaning(const std::string& method) {
  const ExplanationInfo& info = findInfo(method);
  return info.help.substr(0, info.help.size() - 1) + " (" + info.source + ").";
}

std::string featuresText(const TokenFeatures& features) {
  return "features of layer " + std::to_string(features.layer) +
         (features.normed ? "" : ", without a final norm");
}

std::vector<double> DepthPrediction::ofClass(int classIndex) const {
  std::vector<double> result;
  for (const auto& layer : probabilities) {
    const bool there = classIndex >= 0 && classIndex < static_cast<int>(layer.size());
    result.push_back(there ? layer[classIndex] : std::numeric_limits<double>::quiet_NaN());
  }
  return result;
}

Result<int> classFromText(const std::string& text, const ModelInfo& info) {
  const int classes = info.experiment.model.classes;
  if (classes == 0)
    return Error{ErrorCode::InvalidArgument,
                 tr("this model has no classifier; choose an explanation without a class: ") +
                     namesWithoutClass(),
                 "class " + text};
  std::vector<int> found;
  for (int i = 0; i < static_cast<int>(info.classNames.size()); ++i) {
    if (info.classNames[i] == text) return i;
    if (lowered(info.classNames[i]) == lowered(text)) found.push_back(i);
  }
  if (found.size() == 1) return found.front();
  int index = -1;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, index);
  if (!text.empty() && error == std::errc() && stopped == end && index >= 0 && index < classes)
    return index;
  return noSuchClass(text, info);
}

}  // namespace headlight
