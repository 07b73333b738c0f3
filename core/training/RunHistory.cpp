#include "core/training/RunHistory.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace headlight {
namespace {

constexpr std::size_t kMostSteps = 16384, kMostHeads = 512, kMostEpochs = 16384, kMostEdits = 4096;

/// Of any number of points at most `limit`, evenly: when there are more, every second one goes, and
/// from then on as many are passed over.
template <typename Point>
class EvenPoints {
 public:
  EvenPoints(std::vector<Point>& points, std::size_t limit) : m_points(points), m_limit(limit) {}

  void add(Point point) {
    if (!m_points.empty() && point.step < m_points.back().step) return;
    if (m_seen++ % m_stride != 0) return;
    m_points.push_back(std::move(point));
    if (m_points.size() <= m_limit) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < m_points.size(); i += 2)
      std::swap(m_points[kept++], m_points[i]);
    m_points.resize(kept);
    m_stride *= 2;
  }

 private:
  std::vector<Point>& m_points;
  std::size_t m_limit, m_stride = 1, m_seen = 0;
};

double loggedNumber(const Json& json) {
  return json.is_number() ? json.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

double loggedNumber(const Json& line, const char* key) {
  return line.contains(key) ? loggedNumber(line[key]) : std::numeric_limits<double>::quiet_NaN();
}

std::optional<double> loggedOption(const Json& line, const char* key) {
  if (!line.contains(key)) return std::nullopt;
  return loggedNumber(line, key);
}

/// [layer][head]; empty where the shape is another than `heads`. A layer may have none.
std::vector<std::vector<float>> loggedMatrix(const Json& line, const char* key,
                                             const std::vector<int>& heads) {
  if (!line.contains(key) || !line[key].is_array() || line[key].size() != heads.size()) return {};
  std::vector<std::vector<float>> rows;
  for (std::size_t layer = 0; layer < heads.size(); ++layer) {
    const Json& row = line[key][layer];
    if (!row.is_array() || (!row.empty() && row.size() != static_cast<std::size_t>(heads[layer])))
      return {};
    rows.emplace_back();
    for (const Json& value : row)
      rows.back().push_back(static_cast<float>(loggedNumber(value)));
  }
  return rows;
}

std::vector<Readings> loggedReadings(const Json& line, std::size_t layers) {
  std::vector<Readings> readings(layers);
  if (!line.contains("readings") || !line["readings"].is_array()) return readings;
  for (std::size_t layer = 0; layer < std::min(layers, line["readings"].size()); ++layer)
    if (line["readings"][layer].is_object())
      for (const auto& [name, value] : line["readings"][layer].items())
        readings[layer].emplace_back(name, loggedNumber(value));
  return readings;
}

StepPoint loggedStep(const Json& line, std::int64_t step) {
  return {step,
          loggedNumber(line, "loss"),
          loggedNumber(line, "learning_rate"),
          loggedNumber(line, "images_per_second"),
          loggedOption(line, "distillation_loss"),
          loggedOption(line, "auxiliary_loss")};
}

EpochPoint loggedEpoch(const Json& line, std::int64_t step) {
  const bool counted = line.contains("epoch") && line["epoch"].is_number_integer();
  const bool best = line.contains("best") && line["best"].is_boolean() && line["best"].get<bool>();
  return {counted ? line["epoch"].get<std::int64_t>() : 0,
          step,
          loggedNumber(line, "train_loss"),
          loggedNumber(line, "validation_loss"),
          loggedNumber(line, "top1"),
          loggedNumber(line, "top5"),
          best};
}

/// `take` gets every line that is an object with a step, and that step.
void forEachLine(const std::filesystem::path& file,
                 const std::function<void(const Json& line, std::int64_t step)>& take) {
  std::ifstream stream(file, std::ios::binary);
  for (std::string text; std::getline(stream, text);) {
    const Json line = Json::parse(text, nullptr, false);
    if (!line.is_object() || !line.contains("step") || !line["step"].is_number_integer()) continue;
    if (const auto step = line["step"].get<std::int64_t>(); step >= 0) take(line, step);
  }
}

}  // namespace

RunHistory readRunHistory(const std::filesystem::path& folder, const std::vector<int>& heads) {
  RunHistory history;
  EvenPoints steps(history.steps, kMostSteps);
  EvenPoints epochs(history.epochPoints, kMostEpochs);
  EvenPoints measured(history.heads, kMostHeads);
  forEachLine(folder / "metrics.jsonl", [&](const Json& line, std::int64_t step) {
    const Json type = line.contains("type") ? line["type"] : Json();
    if (type == "step") steps.add(loggedStep(line, step));
    if (type == "epoch") epochs.add(loggedEpoch(line, step));
    if (type != "heads") return;
    HeadPoint point{step, loggedMatrix(line, "als", heads), loggedMatrix(line, "alpha", heads),
                    loggedReadings(line, heads.size()), 0};
    if (!point.locality.empty() && !point.alpha.empty()) measured.add(std::move(point));
  });
  forEachLine(folder / "masks.jsonl", [&](const Json& line, std::int64_t step) {
    auto edit = maskEditFromJson(line, "masks.jsonl");
    if (edit && history.edits.size() < kMostEdits)
      history.edits.push_back({step, std::move(*edit)});
  });
  return history;
}

}  // namespace headlight
