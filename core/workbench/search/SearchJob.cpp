// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/search/SearchJob.h"

#include "core/base/Translation.h"
#include "core/config/ConfigText.h"
#include "core/config/MasksJson.h"
#include "core/models/Registry.h"
#include "core/workbench/evaluation/MaskEffect.h"
#include "core/workbench/search/SearchPlanJson.h"

namespace headlight {
namespace {

OpenFolder harmlessFolder(const std::filesystem::path& path) {
  OpenFolder folder = valueOrThrow(OpenFolder::make(path));
  for (const std::string& name : folder.names())
    valueOrThrow(folder.requireHarmless(name));
  return folder;
}

}  // namespace

SearchJob::SearchJob(const SearchPlan& plan, const std::filesystem::path& output,
                     const SearchObserver& observer, std::stop_token stop)
    : m_plan(checkedSearchPlan(plan)),
      m_observer(observer),
      m_stop(std::move(stop)),
      m_folder(harmlessFolder(output)),
      m_lock(valueOrThrow(FolderLock::acquire(m_folder))) {
  if (shape().maskableLayers == 0)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("has no layer whose heads can be masked; choose another mechanism"),
                   "model.mechanism"});
  recall();
  const ModelConfig& model = m_plan.experiment.model;
  report.unmaskedMacs = modelCost(model, MaskScheme(shape())).macs;
}

MaskShape SearchJob::shape() const {
  return makeMaskShape(m_plan.experiment.model);
}

void SearchJob::recall() {
  m_known = {
      {"plan", searchPlanJson(m_plan)}, {"heads", Json::object()}, {"trials", Json::array()}};
  if (!m_folder.has(kSearchState)) return;
  const std::string where = m_folder.pathOf(kSearchState).string();
  const Json read = jsonOrDiscarded(valueOrThrow(m_folder.read(kSearchState, kMaxSearchState)));
  if (!read.is_object() || !read.contains("plan") || !read.contains("heads") ||
      !read.contains("trials") || !read["heads"].is_object() || !read["trials"].is_array())
    throw Failure({ErrorCode::InvalidFile,
                   tr("cannot be parsed; delete it to repeat the measurements"), where});
  if (const auto other = searchDifference(m_plan, read["plan"]))
    throw Failure({ErrorCode::InvalidArgument,
                   tr("was started with other settings (") + *other +
                       tr("); choose another folder, or delete that one"),
                   m_folder.path().string()});
  m_known = read;
}

void SearchJob::keep() const {
  write(kSearchState, m_known.dump(1) + "\n");
}

void SearchJob::write(const std::string& name, const std::string& text) const {
  valueOrThrow(m_folder.write(name, text));
}

void SearchJob::stopIfAsked() const {
  if (m_stop.stop_requested())
    throw Failure(
        {ErrorCode::Canceled, tr("stopped; the same command resumes"), m_folder.path().string()});
}

void SearchJob::decide(const SearchDecision& decision) {
  report.decisions.push_back(decision);
  if (m_observer.decided) m_observer.decided(decision);
}

namespace {

/// NaN is null in JSON.
std::vector<std::vector<double>> tableFrom(const Json& rows, const MaskShape& shape) {
  const Error wrong{ErrorCode::InvalidFile, "has results of another model; delete it",
                    kSearchState};
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
    const ImageSample sample{m_plan.experiment.data, m_plan.options.images};
    const auto measured = valueOrThrow(
        measureHeadMetrics(session, sample, scheme, {measure}, m_observer.progress, m_stop));
    m_known["heads"][key] = {{"values", measured.front().values},
                             {"pictures", measured.front().images}};
    keep();
  }
  const Json& known = m_known["heads"][key];
  report.images = known.value("pictures", std::int64_t{0});
  return tableFrom(known.value("values", Json()), shape());
}

SearchTrial SearchJob::tried(InferenceSession& session, const std::string& name,
                             const MaskScheme& scheme) {
  stopIfAsked();
  Json& trials = m_known["trials"];
  const std::size_t index = m_trials++;
  if (index >= trials.size()) {
    const ImageSample sample{m_plan.experiment.data, m_plan.options.images};
    const auto result =
        valueOrThrow(evaluateSchemes(session, sample, {scheme}, m_observer.progress, m_stop));
    trials.push_back({{"name", name},
                      {"top1", result.front().top1},
                      {"loss", result.front().loss},
                      {"pictures", result.front().images.size()}});
    keep();
  }
  const Json& known = trials[index];
  if (known.value("name", "") != name)
    throw Failure({ErrorCode::InvalidFile, tr("has trials in another order; delete it"),
                   m_folder.pathOf(kSearchState).string()});
  report.images = known.value("pictures", std::int64_t{0});
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
