// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/attribution/FaithfulnessStudy.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

#include "core/base/Text.h"

namespace headlight {
namespace {

/// The share of an image's time that its heatmaps take.
constexpr double kHeatShare = 0.15;

void requireUnstopped(const Error& error) {
  if (error.code == ErrorCode::Canceled) throw Failure(error);
}

void askExplanations(StudiedHeatmaps& asked, InferenceSession& session, const RawImages& image,
                     const MaskScheme& masks, ExplanationOptions options,
                     const std::stop_token& stop) {
  std::optional<Error> first;
  for (const ExplanationInfo& method : explanationMethods()) {
    if (!method.isImageHeatmap()) continue;
    const auto heatmap = imageHeatmap(session, image, masks, method.name, options, {}, stop);
    if (heatmap) {
      if (method.ofClass) options.classIndex = asked.classIndex = heatmap->classIndex;
      const std::string where =
          heatmap->layer < 0 ? std::string() : " in layer " + std::to_string(heatmap->layer);
      asked.heatmaps.push_back({method.title + where, heatmap->values, heatmap->grid});
      continue;
    }
    requireUnstopped(heatmap.error());
    asked.left.push_back(method.title + ": " + heatmap.error().text());
    if (!first) first = heatmap.error();
  }
  if (asked.heatmaps.empty()) throw Failure(*first);
}

/// The class token's row, or the mean of the patches'; the mean of heads.
std::vector<float> attentionOf(const LayerMaps& maps) {
  const Grid& grid = maps.grid;
  if (grid.hasClassToken()) return patchesSeenBy(maps, 0);
  std::vector<float> mean(static_cast<std::size_t>(grid.patches()), 0.0f);
  for (int query = grid.prefix; query < grid.tokens(); ++query) {
    const std::vector<float> row = patchesSeenBy(maps, query);
    for (std::size_t i = 0; i < mean.size(); ++i)
      mean[i] += row[i] / static_cast<float>(grid.patches());
  }
  return mean;
}

void askMaps(StudiedHeatmaps& asked, const AttentionMaps& maps, const RolloutOptions& options) {
  const auto rolled = rollout(maps, options);
  if (rolled)
    asked.heatmaps.push_back({"rollout", *rolled, maps.layers.front().grid});
  else
    asked.left.push_back("rollout: " + rolled.error().text());
  const LayerMaps& last = maps.layers.back();
  asked.heatmaps.push_back({"attention of the last layer", attentionOf(last), last.grid});
}

MeanOfMany meanOfMany(const std::vector<double>& values) {
  MeanOfMany of{0, std::numeric_limits<double>::quiet_NaN()};
  const auto count = static_cast<double>(values.size());
  for (const double value : values)
    of.mean += value / count;
  if (values.size() < 2) return of;
  double squares = 0;
  for (const double value : values)
    squares += (value - of.mean) * (value - of.mean);
  of.deviation = std::sqrt(squares / (count - 1));
  return of;
}

std::string shareCell(double value) {
  return std::isfinite(value) ? numberText(value) : "";
}

}  // namespace

Result<StudiedHeatmaps> heatmapsToStudy(InferenceSession& session, const RawImages& image,
                                        const MaskScheme& masks, const StudyOptions& options,
                                        std::stop_token stop) {
  return guarded("faithfulness", [&] {
    StudiedHeatmaps asked;
    askExplanations(asked, session, image, masks, options.method, stop);
    const auto inferences = valueOrThrow(inferRaw(session, image, masks, true, stop));
    askMaps(asked, inferences.front().maps, options.rollout);
    return asked;
  });
}

void StudySums::add(const FaithfulnessTable& table) {
  for (const Faithfulness& one : table.methods)
    add(one);
  add(table.random);
}

void StudySums::add(const Faithfulness& one) {
  auto found = std::find_if(m_methods.begin(), m_methods.end(),
                            [&](const Areas& areas) { return areas.title == one.title; });
  if (found == m_methods.end()) found = m_methods.insert(found, {one.title, {}, {}});
  found->deletion.push_back(one.deletion.area);
  found->insertion.push_back(one.insertion.area);
}

std::vector<StudiedMethod> StudySums::means() const {
  std::vector<StudiedMethod> methods;
  for (const Areas& areas : m_methods)
    methods.push_back({areas.title, static_cast<std::int64_t>(areas.deletion.size()),
                       meanOfMany(areas.deletion), meanOfMany(areas.insertion)});
  return methods;
}

Result<FaithfulnessStudy> studyFaithfulness(InferenceSession& session, const ImageSource& feed,
                                            const MaskScheme& masks, const StudyOptions& options,
                                            const ProgressCallback& progress,
                                            std::stop_token stop) {
  return guarded("faithfulness", [&] {
    FaithfulnessStudy study;
    StudySums sums;
    FaithfulnessOptions removal = options.removal;
    study.fed = eachSourceImage(
        feed, "measuring faithfulness", progress, stop,
        [&](const SourceImage& fed, const std::function<void(double)>& notify) {
          const RawImages image = rawImage(session.info(), fed.image);
          const StudiedHeatmaps asked =
              valueOrThrow(heatmapsToStudy(session, image, masks, options, stop));
          study.left = asked.left;
          removal.classIndex = asked.classIndex;
          sums.add(valueOrThrow(faithfulness(
              session, image, masks, asked.heatmaps, removal,
              [&](const Progress& now) {
                notify(kHeatShare + (1 - kHeatShare) * static_cast<double>(now.done) /
                                        static_cast<double>(now.total));
              },
              stop)));
          ++removal.seed;
        });
    study.methods = sums.means();
    return study;
  });
}

std::string studyCsv(const std::vector<StudiedMethod>& methods) {
  std::string csv =
      "method,pictures,deletion_mean,deletion_deviation,insertion_mean,insertion_deviation\n";
  for (const StudiedMethod& method : methods) {
    csv.append(csvQuoted(method.title)).append(",").append(std::to_string(method.images));
    for (const double value : {method.deletion.mean, method.deletion.deviation,
                               method.insertion.mean, method.insertion.deviation})
      csv.append(",").append(shareCell(value));
    csv.append("\n");
  }
  return csv;
}

std::string meanText(const MeanOfMany& of) {
  char text[64];
  if (std::isfinite(of.deviation))
    std::snprintf(text, sizeof text, "%.4f ± %.4f", of.mean, of.deviation);
  else
    std::snprintf(text, sizeof text, "%.4f", of.mean);
  return text;
}

}  // namespace headlight
