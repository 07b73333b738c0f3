// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/sweeps/SweepRecord.h"

#include <algorithm>

#include "core/base/Translation.h"
#include "core/imaging/codecs/Image.h"

namespace headlight {
namespace {

template <typename T>
std::int64_t countOf(const std::vector<std::optional<T>>& all) {
  return std::count_if(all.begin(), all.end(), [](const auto& one) { return one.has_value(); });
}

}  // namespace

SweepRecord::SweepRecord(const SweepPlan& plan, const std::vector<SweepRun>& runs,
                         const SweepFolder& folder, const SweepSubject& subject, bool shared)
    : m_plan(plan),
      m_runs(runs),
      m_folder(folder),
      m_subject(subject),
      m_shared(shared),
      m_results(runs.size()),
      m_diverged(runs.size()),
      m_descriptions(plan.variants.size()) {}

void SweepRecord::requireSame(const SweepRun& run, const OpenFolder& folder) const {
  if (!folder.has("config.json")) return;
  if (const auto path = m_subject.difference(run, folder))
    throw Failure({ErrorCode::InvalidArgument,
                   tr("was started with other settings (") + *path +
                       tr("); choose another --output, or delete that folder"),
                   run.folder.string()});
}

void SweepRecord::read(std::size_t run) {
  const auto folder = m_folder.of(m_runs[run]);
  if (!folder) return;
  requireSame(m_runs[run], *folder);
  if (headlight::isFinished(*folder))
    m_results[run] = m_subject.resultIn(m_runs[run], *folder);
  else if (m_shared)
    m_diverged[run] = divergenceIn(*folder);
}

void SweepRecord::readAll() {
  for (std::size_t i = 0; i < m_runs.size(); ++i)
    read(i);
  m_speeds = readSpeeds(m_folder.files());
  // A variant whose runs were deleted may be another one now.
  const std::size_t before = m_speeds.size();
  for (std::size_t v = 0; v < m_plan.variants.size(); ++v)
    if (!hasFinished(v)) m_speeds.erase(m_plan.variants[v].name);
  if (m_speeds.size() != before) writeSpeeds(m_folder.files(), m_speeds);
}

/// Whether others have finished or measured something since.
bool SweepRecord::readNews() {
  const std::int64_t before = finished();
  for (std::size_t i = 0; i < m_runs.size(); ++i)
    if (!isSettled(i)) read(i);
  SpeedsByVariant speeds = readSpeeds(m_folder.files());
  const bool measured = speeds != m_speeds;
  m_speeds = std::move(speeds);
  return measured || finished() != before;
}

std::int64_t SweepRecord::finished() const {
  return countOf(m_results);
}

std::int64_t SweepRecord::settled() const {
  return finished() + countOf(m_diverged);
}

bool SweepRecord::hasFinished(std::size_t variant) const {
  for (std::size_t i = 0; i < m_runs.size(); ++i)
    if (m_runs[i].variant == variant && m_results[i]) return true;
  return false;
}

bool SweepRecord::hasSpeeds() const {
  for (std::size_t v = 0; v < m_plan.variants.size(); ++v)
    if (hasFinished(v) && !m_speeds.contains(m_plan.variants[v].name)) return false;
  return true;
}

void SweepRecord::setSpeeds(const std::vector<double>& byVariant) {
  m_speeds.clear();
  for (std::size_t v = 0; v < byVariant.size(); ++v)
    if (byVariant[v] > 0) m_speeds[m_plan.variants[v].name] = byVariant[v];
  writeSpeeds(m_folder.files(), m_speeds);
}

SweepRow SweepRecord::rowOf(std::size_t variant) {
  SweepRow row;
  std::vector<double> best, last, training, rates;
  std::int64_t peak = 0;
  for (std::size_t i = 0; i < m_runs.size(); ++i) {
    if (m_runs[i].variant != variant || !m_results[i]) continue;
    if (best.empty()) row = description(m_runs[i]);
    best.push_back(m_results[i]->best);
    last.push_back(m_results[i]->last);
    training.push_back(m_results[i]->training);
    if (m_results[i]->stepsPerSecond > 0) rates.push_back(m_results[i]->stepsPerSecond);
    peak = std::max(peak, m_results[i]->peakBytes);
  }
  row.runs = static_cast<std::int64_t>(best.size());
  row.best = computeStatistic(best);
  row.last = computeStatistic(last);
  row.training = computeStatistic(training);
  row.stepsPerSecond = computeStatistic(rates).mean;
  row.peakBytes = peak;
  if (const auto speed = m_speeds.find(row.name); speed != m_speeds.end())
    row.perSecond = speed->second;
  return row;
}

const SweepRow& SweepRecord::description(const SweepRun& run) {
  std::optional<SweepRow>& known = m_descriptions[run.variant];
  if (known) return *known;
  known = m_subject.describe(run, *m_folder.of(run));
  known->name = m_plan.variants[run.variant].name;
  return *known;
}

std::vector<SweepRow> SweepRecord::rows() {
  std::vector<SweepRow> rows;
  for (std::size_t v = 0; v < m_plan.variants.size(); ++v)
    if (hasFinished(v)) rows.push_back(rowOf(v));
  return rows;
}

void SweepRecord::writeTables() {
  if (m_shared) readNews();
  // Whoever writes without what another has finished meanwhile finds it afterwards.
  do {
    const std::vector<SweepRow> all = rows();
    if (all.empty()) return;
    const OpenFolder& files = m_folder.files();
    valueOrThrow(files.write(kSweepTable, sweepCsv(m_plan, all)));
    valueOrThrow(files.write(kSweepText, sweepMarkdown(m_plan, all)));
    valueOrThrow(files.write(kSweepFigure, valueOrThrow(encodePng(sweepFigure(m_plan, all)))));
  } while (m_shared && readNews());
}

SweepReport SweepRecord::report() {
  SweepReport report;
  report.rows = rows();
  report.finished = finished();
  report.total = static_cast<std::int64_t>(m_runs.size());
  for (std::size_t i = 0; i < m_runs.size(); ++i)
    if (m_diverged[i]) report.failures.push_back({sweepRunName(m_plan, m_runs[i]), *m_diverged[i]});
  return report;
}

}  // namespace headlight
