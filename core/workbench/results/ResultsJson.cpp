// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/results/ResultsJson.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/Translation.h"
#include "core/workbench/results/ReadingJson.h"

namespace headlight {
namespace {

[[noreturn]] void refuseResult(const std::string& what) {
  throw Failure({ErrorCode::InvalidFile, tr("is not such a result: ") + what, ""});
}

void requireResult(bool fits, const char* what) {
  if (!fits) refuseResult(what);
}

/// Null is a number that there is not.
double numberIn(const Json& json) {
  if (json.is_null()) return std::numeric_limits<double>::quiet_NaN();
  requireResult(json.is_number(), "a number is missing");
  return json.get<double>();
}

std::int64_t countIn(const Json& json, std::int64_t most) {
  requireResult(json.is_number_integer(), "a count is missing");
  const auto count = json.get<std::int64_t>();
  requireResult(count >= 0 && count <= most, "a count is out of range");
  return count;
}

double shareIn(const Json& json) {
  const double share = numberIn(json);
  requireResult(share >= 0 && share <= 1, "a share is not between 0 and 1");
  return share;
}

/// So many numbers, or null.
std::vector<double> numbersIn(const Json& json, std::size_t size) {
  requireResult(json.is_array() && json.size() == size, "a list has another length");
  std::vector<double> numbers;
  for (const Json& one : json)
    numbers.push_back(numberIn(one));
  return numbers;
}

constexpr std::int64_t kMostImagesOfResult = 1'000'000'000;

/// Scores that not every task has, by their names in a file.
struct ScoreEntry {
  const char* name;
  std::optional<double> EvaluationResult::*value;
};
constexpr std::array kScoreEntries{
    ScoreEntry{"ap", &EvaluationResult::ap},          ScoreEntry{"ap50", &EvaluationResult::ap50},
    ScoreEntry{"ap75", &EvaluationResult::ap75},      ScoreEntry{"miou", &EvaluationResult::miou},
    ScoreEntry{"macc", &EvaluationResult::macc},      ScoreEntry{"pacc", &EvaluationResult::pacc},
    ScoreEntry{"rebuilt", &EvaluationResult::rebuilt}};

Json evaluationJson(const EvaluationResult& result) {
  Json json = {{"images", result.images},
               {"loss", result.loss},
               {"top1", result.top1},
               {"top5", result.top5},
               {"images_per_second", result.imagesPerSecond},
               {"skipped", result.skipped}};
  for (const ScoreEntry& score : kScoreEntries)
    if (result.*score.value) json[score.name] = *(result.*score.value);
  return json;
}

EvaluationResult evaluationFrom(const Json& json) {
  EvaluationResult result;
  result.images = countIn(json.at("images"), kMostImagesOfResult);
  result.loss = numberIn(json.at("loss"));
  result.top1 = shareIn(json.at("top1"));
  result.top5 = shareIn(json.at("top5"));
  result.imagesPerSecond = numberIn(json.at("images_per_second"));
  result.skipped = countIn(json.at("skipped"), kMostImagesOfResult);
  for (const ScoreEntry& score : kScoreEntries)
    if (json.contains(score.name)) result.*score.value = numberIn(json.at(score.name));
  return result;
}

/// Its classes, and how those of the data were matched with them.
void takeClasses(SchemeResult& result, const Json& json, const ModelInfo& info) {
  result.classNames = json.at("class_names").get<std::vector<std::string>>();
  const auto classes = static_cast<std::size_t>(info.experiment.model.classes);
  requireResult(result.classNames.empty() || result.classNames.size() == classes,
                "it has another number of classes");
  result.classMatch = json.value("class_match", "");  // earlier programs said nothing
}

ImageVerdict verdictFrom(const Json& json, int classes) {
  requireResult(json.is_array() && json.size() == 8, "an image has other columns");
  ImageVerdict verdict;
  verdict.index = countIn(json[0], kMostImagesOfResult);
  verdict.name = json[1].get<std::string>();
  verdict.label = static_cast<int>(countIn(json[2], classes - 1));
  verdict.predicted = static_cast<int>(countIn(json[3], classes - 1));
  verdict.probability = static_cast<float>(numberIn(json[4]));
  verdict.ofLabel = static_cast<float>(numberIn(json[5]));
  verdict.loss = numberIn(json[6]);
  verdict.amongFive = json[7].get<bool>();
  return verdict;
}

int mostHeads(const ModelInfo& info) {
  return info.heads.empty() ? 0 : *std::max_element(info.heads.begin(), info.heads.end());
}

}  // namespace

Json toJson(const HeadValues& values) {
  return {{"measure", findInfo(values.measure).name},
          {"values", values.values},
          {"chance", values.chance},
          {"deviations", values.deviations},
          {"pictures", values.images},
          {"note", values.note}};
}

Json toJson(const SchemeResult& result) {
  Json images = Json::array();
  for (const ImageVerdict& one : result.images)
    images.push_back(Json::array({one.index, one.name, one.label, one.predicted, one.probability,
                                  one.ofLabel, one.loss, one.amongFive}));
  Json json = {{"class_names", result.classNames},
               {"class_match", result.classMatch},
               {"skipped", result.skipped},
               {"loss", result.loss},
               {"top1", result.top1},
               {"top5", result.top5},
               {"pictures", std::move(images)}};
  if (result.scores) json["scores"] = evaluationJson(*result.scores);
  return json;
}

Json toJson(const LayerSimilarity& similarity) {
  return {{"layers", similarity.layers},
          {"values", similarity.values},
          {"pictures", similarity.images},
          {"signed", similarity.isSigned}};
}

Json toJson(const BranchReport& report) {
  Json layers = Json::array();
  for (const auto& layer : report.layers)
    layers.push_back(Json::array({layer.nonzeros, layer.perImage}));
  return {{"with", evaluationJson(report.with)},
          {"castled", evaluationJson(report.withoutBranch)},
          {"layers", layers},
          {"free", report.free},
          {"class_match", report.classMatch},
          {"verdict", report.verdict}};
}

Result<HeadValues> headValuesFrom(const Json& json, HeadMetric measure, const ModelInfo& info) {
  return readingJson("heads", [&] {
    HeadValues values;
    values.measure = measure;
    requireResult(json.at("measure") == findInfo(measure).name, "it has another head metric");
    const Json& layers = json.at("values");
    requireResult(layers.is_array() && layers.size() == info.heads.size(),
                  "it has another number of layers");
    for (std::size_t l = 0; l < layers.size(); ++l)
      values.values.push_back(numbersIn(layers[l], static_cast<std::size_t>(info.heads[l])));
    values.chance = numbersIn(json.at("chance"), layers.size());
    // Results of earlier programs have none.
    const Json deviations = json.value("deviations", Json::array());
    for (std::size_t l = 0; l < deviations.size() && l < layers.size(); ++l)
      values.deviations.push_back(
          numbersIn(deviations[l], static_cast<std::size_t>(info.heads[l])));
    requireResult(values.deviations.empty() || values.deviations.size() == layers.size(),
                  "it has deviations of another number of layers");
    values.images = countIn(json.at("pictures"), kMostImagesOfResult);
    values.note = json.at("note").get<std::string>();
    return values;
  });
}

Result<SchemeResult> schemeResultFrom(const Json& json, const ModelInfo& info) {
  return readingJson("accuracy", [&] {
    const int classes = info.experiment.model.classes;
    SchemeResult result;
    takeClasses(result, json, info);
    result.skipped = countIn(json.at("skipped"), kMostImagesOfResult);
    result.loss = numberIn(json.at("loss"));
    result.top1 = shareIn(json.at("top1"));
    result.top5 = shareIn(json.at("top5"));
    for (const Json& one : json.at("pictures"))
      result.images.push_back(verdictFrom(one, classes));
    requireResult(!result.images.empty(), "it has no image");
    return result;
  });
}

Result<SchemeResult> schemeScoresFrom(const Json& json, const ModelInfo& info) {
  return readingJson("scores", [&] {
    SchemeResult result;
    takeClasses(result, json, info);
    result.scores = evaluationFrom(json.at("scores"));
    requireResult(result.scores->images > 0 && json.at("pictures").empty(),
                  "its scores are of no images");
    result.skipped = result.scores->skipped;
    result.loss = result.scores->loss;
    return result;
  });
}

Result<LayerSimilarity> similarityFrom(const Json& json, const ModelInfo& info) {
  return readingJson("similarity", [&] {
    const std::size_t layers = info.heads.size();
    LayerSimilarity result;
    result.layers = static_cast<int>(countIn(json.at("layers"), static_cast<int>(layers)));
    const Json& heads = json.at("values");
    requireResult(result.layers == static_cast<int>(layers) && heads.is_array() &&
                      heads.size() == static_cast<std::size_t>(mostHeads(info)) + 1,
                  "it has other layers or heads");
    for (const Json& one : heads)
      result.values.push_back(numbersIn(one, layers * layers));
    result.images = countIn(json.at("pictures"), kMostImagesOfResult);
    result.isSigned = json.at("signed").get<bool>();
    return result;
  });
}

Result<BranchReport> branchReportFrom(const Json& json, const ModelInfo& info) {
  return readingJson("castling", [&] {
    BranchReport report;
    report.with = evaluationFrom(json.at("with"));
    report.withoutBranch = evaluationFrom(json.at("castled"));
    const Json& layers = json.at("layers");
    requireResult(layers.is_array() && layers.size() == info.heads.size(),
                  "it has another number of layers");
    for (const Json& layer : layers) {
      const auto numbers = numbersIn(layer, 2);
      report.layers.push_back({numbers[0], numbers[1]});
    }
    report.free = json.at("free").get<bool>();
    const bool none = std::none_of(report.layers.begin(), report.layers.end(),
                                   [](const auto& layer) { return layer.nonzeros > 0; });
    requireResult(report.free == none, "its verdict contradicts its numbers");
    report.classMatch = json.value("class_match", "");
    report.verdict = json.at("verdict").get<std::string>();
    return report;
  });
}

}  // namespace headlight
