// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figures/EvolutionScenes.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "app/cli/figures/AttendImages.h"
#include "app/cli/terminal/Command.h"
#include "core/base/Translation.h"

namespace headlight::cli {
namespace {

/// Numbers of points, evenly from the first to the last.
std::vector<std::size_t> spreadPoints(std::size_t points, std::size_t most) {
  std::vector<std::size_t> chosen;
  const std::size_t count = std::min(points, most);
  for (std::size_t i = 0; i < count; ++i)
    chosen.push_back(count == 1 ? points - 1 : i * (points - 1) / (count - 1));
  return chosen;
}

std::vector<std::size_t> chosenPoints(const RecordedEvolution& evolution,
                                      const EvolutionChoice& choice, std::size_t most) {
  if (choice.steps.empty())
    return spreadPoints(evolution.moments().size(),
                        choice.most > 0 ? static_cast<std::size_t>(choice.most) : most);
  std::set<std::size_t> chosen;
  for (const std::int64_t step : choice.steps)
    chosen.insert(evolution.momentAt(step));
  return {chosen.begin(), chosen.end()};
}

/// The layers and heads that were asked for.
std::vector<std::pair<int, int>> chosenHeads(const EvolutionInfo& info,
                                             const EvolutionChoice& choice) {
  const int layers = static_cast<int>(info.layers.size());
  if (choice.layer && (*choice.layer < 0 || *choice.layer >= layers))
    refuseUsage("--layer", tr("must be from 0 to ") + std::to_string(layers - 1));
  std::vector<std::pair<int, int>> chosen;
  for (int l = 0; l < layers; ++l) {
    const bool wanted = choice.layer ? l == *choice.layer : choice.head || l == layers - 1;
    for (int h = 0; wanted && h < info.layers[static_cast<std::size_t>(l)].heads; ++h)
      if (h == choice.head.value_or(h)) chosen.emplace_back(l, h);
  }
  if (chosen.empty())
    refuseUsage(choice.head ? "--head" : "--layer",
                tr("selects no recorded head; give --layer and --head, counted from 0"));
  return chosen;
}

int chosenQuery(const EvolutionInfo& info, const EvolutionChoice& choice) {
  if (choice.query == "mean") return kMeanOfPatches;
  if (choice.query.empty()) return info.grid.hasClassToken() ? 0 : kMeanOfPatches;
  return queryFromText(choice.query, info.grid).token;
}

/// Puts one scene together.
class SceneMaker {
 public:
  SceneMaker(RecordedEvolution& evolution, const EvolutionChoice& choice, std::size_t most,
             const std::stop_token& stop)
      : m_evolution(evolution), m_info(evolution.info()), m_choice(choice), m_stop(stop) {
    begin();
    m_points = chosenPoints(evolution, choice, most);
    for (const std::size_t point : m_points)
      m_scene.moments.push_back(evolution.moments()[point]);
  }

  EvolutionScene made() && {
    if (m_choice.show == "attention")
      addAttention();
    else if (m_choice.show == "rollout")
      addRollout();
    else
      addLearned();
    return std::move(m_scene);
  }

 private:
  void begin() {
    const int images = static_cast<int>(m_info.images.size());
    if (m_choice.image < 0 || m_choice.image >= images)
      refuseUsage("--image", tr("must be from 0 to ") + std::to_string(images - 1));
    m_scene.imageNumber = static_cast<std::size_t>(m_choice.image);
    const RecordedImage& image = m_info.images[m_scene.imageNumber];
    m_scene.image = std::filesystem::path(image.name).filename().string();
    m_scene.view = image.view;
  }

  void addAttention() {
    const int token = chosenQuery(m_info, m_choice);
    m_scene.subject = "attention of the " + recordedQueryText(token, m_info.grid);
    m_scene.meaning = m_info.mapMeaning;
    m_scene.isSigned = m_info.mapIsSigned;
    for (const auto& [layer, head] : chosenHeads(m_info, m_choice)) {
      const Grid& grid = m_info.layers[static_cast<std::size_t>(layer)].grid;
      m_scene.maps.push_back({layer, head, grid.rows, grid.cols, true, {}});
    }
    for (const std::size_t point : m_points) {
      requireGoingOn(m_stop);
      const EvolutionFrame frame = valueOrThrow(m_evolution.frame(point));
      for (EvolvingMap& map : m_scene.maps)
        map.values.push_back(valueOrThrow(frame.seen(m_choice.image, map.layer, map.head, token)));
    }
  }

  void addRollout() {
    const Grid& grid = m_info.layers.front().grid;
    m_scene.subject = "rollout, heads fused by mean";
    m_scene.meaning = rolloutPreparation(m_info.mapIsSigned, m_info.mapRowsSumToOne);
    m_scene.maps.push_back({-1, -1, grid.rows, grid.cols, true, {}});
    auto& values = m_scene.maps.front().values;
    for (const std::size_t point : m_points) {
      requireGoingOn(m_stop);
      values.push_back(valueOrThrow(m_evolution.frame(point)).rollout(m_choice.image));
    }
    if (std::all_of(values.begin(), values.end(), [](const auto& v) { return v.empty(); }))
      refuseUsage(
          "--show rollout",
          tr("was not recorded, because the model's maps are too large or a layer has none"));
  }

  void addLearned() {
    const Query asked = queryFromText(m_choice.query, m_info.grid);
    m_scene.plain = true;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
      requireGoingOn(m_stop);
      const std::vector<LearnedMap> learned = valueOrThrow(m_evolution.learned(m_points[i]));
      const LearnedMap* shown = learnedFromName(m_choice.show, learned);
      m_scene.subject = shown->title + " at the " + asked.text;
      m_scene.meaning = shown->maps.meaning;
      m_scene.isSigned = shown->maps.isSigned;
      if (i == 0) m_scene.maps = learnedRows(*shown);
      for (EvolvingMap& map : m_scene.maps)
        addLearnedValues(map, shown->maps.layers[static_cast<std::size_t>(map.layer)], asked);
    }
  }

  std::vector<EvolvingMap> learnedRows(const LearnedMap& shown) const {
    std::vector<EvolvingMap> rows;
    for (const auto& [layer, head] : chosenHeads(m_info, m_choice)) {
      const LayerMaps& maps = shown.maps.layers[static_cast<std::size_t>(layer)];
      if (!maps.empty() && head < maps.heads) rows.push_back({layer, head, 0, 0, true, {}});
    }
    if (rows.empty())
      refuseUsage("--layer", tr("has no ") + shown.title + tr("; choose another layer"));
    return rows;
  }

  void addLearnedValues(EvolvingMap& map, const LayerMaps& maps, const Query& asked) const {
    const int token = queryInLayer(asked.token, m_info.grid, maps.grid);
    map.values.push_back({});
    if (token < 0) return;
    const PatchArea area = areaInSight(maps, token);
    map.rows = area.rows;
    map.cols = area.cols;
    map.smooth = !maps.windows;
    map.values.back() = valuesIn(area, patchesSeenBy(maps, map.head, token), maps.grid);
  }

  RecordedEvolution& m_evolution;
  const EvolutionInfo& m_info;
  const EvolutionChoice& m_choice;
  const std::stop_token& m_stop;
  std::vector<std::size_t> m_points;
  EvolutionScene m_scene;
};

}  // namespace

EvolutionScene chosenScene(RecordedEvolution& evolution, const EvolutionChoice& choice,
                           std::size_t most, const std::stop_token& stop) {
  return SceneMaker(evolution, choice, most, stop).made();
}

void requireGoingOn(const std::stop_token& stop) {
  if (stop.stop_requested())
    throw Failure({ErrorCode::Canceled, tr("stopped; images that were written stay"), "evolution"});
}

}  // namespace headlight::cli
