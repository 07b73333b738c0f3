// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/search/SearchJob.h"

#include "core/config/ConfigText.h"
#include "core/config/MasksJson.h"
#include "core/models/Registry.h"
#include "core/workbench/evaluation/MaskEffect.h"
#include "core/workbench/training/ExperimentPaths.h"

namespace headlight {
namespace {

constexpr const char* kState = "search.json";
constexpr std::uintmax_t kMaxState = 64u << 20;

OpenFolder harmlessFolder(const std::filesystem::path& path) {
  OpenFolder folder = valueOrThrow(OpenFolder::make(path));
  for (const std::string& name : folder.names())
    valueOrThrow(folder.requireHarmless(name));
  return folder;
}

SearchPlan checkedPlan(SearchPlan plan) {
  for (const Parameter& parameter : searchParameters())
    valueOrThrow(
        checkParameter(parameter, parameter.get(&plan.options), "search." + parameter.name));
  if (!plan.experiment.edits.empty())
    throw Failure({ErrorCode::InvalidArgument,
                   "has mask edits at steps; a search sets the masks itself", "edits"});
  makePathsAbsolute(plan.experiment);
  return plan;
}

}  // namespace

SearchJob::SearchJob(const SearchPlan& plan, const std::filesystem::path& output,
                     const SearchObserver& observer, std::stop_token stop)
    : m_plan(checkedPlan(plan)),
      m_observer(observer),
      m_stop(std::move(stop)),
      m_folder(harmlessFolder(output)),
      m_lock(valueOrThrow(FolderLock::acquire(m_folder))) {
  if (shape().maskableLayers == 0)
    throw Failure({ErrorCode::InvalidArgument,
                   "has no layer whose heads can be masked; choose another mechanism",
                   "model.mechanism"});
  recall();
  const ModelConfig& model = m_plan.experiment.model;
  report.unmaskedMacs = modelCost(model, MaskScheme(shape())).macs;
}

MaskShape SearchJob::shape() const {
  return maskShapeOf(m_plan.experiment.model);
}

Json SearchJob::planJson() const {
  Json experiment = experimentToJson(m_plan.experiment);
  for (const char* free : {"name", "device", "threads"})
    experiment.erase(free);
  return {{"options", writeParameters(searchParameters(), &m_plan.options)},
          {"experiment", experiment}};
}

void SearchJob::recall() {
  m_known = {{"plan", planJson()}, {"heads", Json::object()}, {"trials", Json::array()}};
  if (!m_folder.has(kState)) return;
  const std::string where = m_folder.pathOf(kState).string();
  const Json read = jsonOrDiscarded(valueOrThrow(m_folder.read(kState, kMaxState)));
  if (!read.is_object() || !read.contains("plan") || !read.contains("heads") ||
      !read.contains("trials") || !read["heads"].is_object() || !read["trials"].is_array())
    throw Failure({ErrorCode::InvalidFile,
                   "cannot be understood; delete it, and what was measured is measured again",
                   where});
  const Json difference = Json::diff(read["plan"], m_known["plan"]);
  if (!difference.empty())
    throw Failure({ErrorCode::InvalidArgument,
                   "was begun with other settings (" + difference[0]["path"].get<std::string>() +
                       "); choose another folder, or delete that one",
                   m_folder.path().string()});
  m_known = read;
}

void SearchJob::keep() const {
  write(kState, m_known.dump(1) + "\n");
}

void SearchJob::write(const std::string& name, const std::string& text) const {
  valueOrThrow(m_folder.write(name, text));
}

void SearchJob::stopIfAsked() const {
  if (m_stop.stop_requested())
    throw Failure(
        {ErrorCode::Canceled, "stopped; the same command goes on", m_folder.path().string()});
}

void SearchJob::decide(const SearchDecision& decision) {
  report.decisions.push_back(decision);
  if (m_observer.decided) m_observer.decided(decision);
}

namespace {

/// NaN is null in JSON.
std::vector<std::vector<double>> tableFrom(const Json& rows, const MaskShape& shape) {
  const Error wrong{ErrorCode::InvalidFile, "has numbers of another model; delete it", kState};
  if (!rows.is_array() || rows.size() != shape.heads.size()) throw Failure(wrong);
  std::vector<std::vector<double>> table;
  for (std::size_t layer = 0; layer < rows.size(); ++layer) {
    if (!rows[layer].is_array() || static_cast<int>(rows[layer].size()) != shape.heads[layer])
      throw Failure(wrong);
    table.emplace_back();
    for (const Json& value : rows[layer])
      table.back().push_back(value.is_number() ? value.get<double>() : std::nan(""));
  }
  return table;
}

}  // namespace

std::vector<std::vector<double>> SearchJob::heads(const std::string& key, InferenceSession& session,
                                                  const MaskScheme& scheme, HeadMetric measure) {
  if (!m_known["heads"].contains(key)) {
    const PictureSample sample{m_plan.experiment.data, m_plan.options.pictures};
    const auto measured = valueOrThrow(
        measureHeadMetrics(session, sample, scheme, {measure}, m_observer.progress, m_stop));
    m_known["heads"][key] = {{"values", measured.front().values},
                             {"pictures", measured.front().pictures}};
    keep();
  }
  const Json& known = m_known["heads"][key];
  report.pictures = known.value("pictures", std::int64_t{0});
  return tableFrom(known.value("values", Json()), shape());
}

SearchTrial SearchJob::tried(InferenceSession& session, const std::string& name,
                             const MaskScheme& scheme) {
  stopIfAsked();
  Json& trials = m_known["trials"];
  const std::size_t index = m_trials++;
  if (index >= trials.size()) {
    const PictureSample sample{m_plan.experiment.data, m_plan.options.pictures};
    const auto result =
        valueOrThrow(evaluateSchemes(session, sample, {scheme}, m_observer.progress, m_stop));
    trials.push_back({{"name", name},
                      {"top1", result.front().top1},
                      {"loss", result.front().loss},
                      {"pictures", result.front().pictures.size()}});
    keep();
  }
  const Json& known = trials[index];
  if (known.value("name", "") != name)
    throw Failure({ErrorCode::InvalidFile, "has trials in another order; delete it",
                   m_folder.pathOf(kState).string()});
  report.pictures = known.value("pictures", std::int64_t{0});
  return {name, scheme, modelCost(m_plan.experiment.model, scheme).macs, known.value("top1", 0.0),
          known.value("loss", 0.0)};
}

Result<SearchReport> searchScheme(const SearchPlan& plan, const std::filesystem::path& output,
                                  const SearchObserver& observer, std::stop_token stop) {
  return guarded("search", [&] {
    SearchJob job(plan, output, observer, std::move(stop));
    const std::string& method = plan.options.method;
    if (method == "greedy")
      searchByImportance(job);
    else if (method == "random")
      tryRandomSchemes(job);
    else if (method == "harden")
      hardenSoftHeads(job);
    else
      searchByLocality(job);
    SearchReport& report = job.report;
    report.macs = modelCost(plan.experiment.model, report.scheme).macs;
    job.write(kSearchScheme, maskFileText(report.scheme));
    job.write("decisions.csv", searchDecisionsCsv(report.decisions));
    job.write(kSearchReport, searchReportText(plan, report));
    return report;
  });
}

}  // namespace headlight
