// SPDX-License-Identifier: GPL-3.0-or-later

// Interventions.h: every part of one kind by itself.

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/workbench/interventions/InterventionRun.h"

namespace headlight {
namespace {

constexpr int kPartsAtOnce = 16;
constexpr double kLeastWay = 1e-6;  ///< between base and target, below which shares mean nothing

/// The part in a column.
Intervention partInColumn(InterventionSite site, const std::string& across, int layer, int column) {
  return {site, layer, across == "heads" ? column : -1, across == "tokens" ? column : -1};
}

class SweepPass {
 public:
  SweepPass(InterventionRun& run, InterventionSweep& sweep, const ProgressCallback& progress,
            const std::stop_token& stop)
      : m_run(run),
        m_sweep(sweep),
        m_site(valueOrThrow(interventionSiteFromName(sweep.options.site))),
        m_stop(stop),
        m_tokens(run.model().embed(run.input())),
        m_steps(tr("replacing parts"), progress, stop, run.model().layers()) {}

  void operator()() {
    for (int l = 0; l < m_run.model().layers(); ++l) {
      m_steps();
      layer(l);
    }
  }

 private:
  void layer(int index) {
    PartsHook plain(m_run.model().heads(index), m_run.keep());
    const at::Tensor entering = m_tokens;
    m_tokens = plain.run(m_run.model(), index, entering);
    const PartActivations source = m_run.source().block(index);
    const int columns = columnsOf(plain.kept(), index);
    std::vector<double> row;
    for (int first = 0; first < columns; first += kPartsAtOnce) {
      const auto values =
          some(index, entering, source, first, std::min(kPartsAtOnce, columns - first));
      row.insert(row.end(), values.begin(), values.end());
    }
    m_sweep.values.push_back(std::move(row));
  }

  int columnsOf(const PartActivations& kept, int layer) const {
    const PartSize size = partSize(kept, m_site, m_run.model().heads(layer), layer);
    const std::string& across = m_sweep.options.across;
    return across == "heads" ? size.heads : across == "tokens" ? size.tokens : 1;
  }

  /// Columns `first` to `first` + `count` as one batch.
  std::vector<double> some(int layer, const at::Tensor& entering, const PartActivations& source,
                           int first, int count) {
    PartReplacement replacement{m_site, source.of(m_site), {}};
    for (int i = 0; i < count; ++i) {
      const Intervention part = partInColumn(m_site, m_sweep.options.across, layer, first + i);
      replacement.places.push_back({i, part.head, part.token});
    }
    PartsHook hook(m_run.model().heads(layer), PartsHook::Keep::Nothing);
    hook.replace(std::move(replacement));
    const at::Tensor leaving = hook.run(m_run.model(), layer, entering.repeat({count, 1, 1}));
    return m_run.metric().of(m_run.logitsFrom(layer + 1, leaving, m_stop));
  }

  InterventionRun& m_run;
  InterventionSweep& m_sweep;
  InterventionSite m_site;
  std::stop_token m_stop;
  at::Tensor m_tokens;
  PassSteps m_steps;
};

std::string replacementWords(const InterventionSweep& sweep) {
  if (sweep.options.replace == "zero") return tr("set to 0");
  if (sweep.options.replace == "mean") return tr("set to their mean over images");
  return sweep.facts.runsOther ? tr("restored in the other image's run")
                               : tr("taken from the other image");
}

std::string siteWords(const std::string& site) {
  if (site == "residual") return tr("tokens that enter the layer");
  if (site == "attention") return tr("outputs of attention");
  if (site == "mlp") return tr("outputs of MLPs");
  return site == "heads" ? tr("outputs of heads") : tr("attention weights");
}

}  // namespace

Result<InterventionSweep> sweepInterventions(InferenceSession& session, const MaskScheme& masks,
                                             const InterventionRequest& request,
                                             const ProgressCallback& progress,
                                             std::stop_token stop) {
  return guarded("interventions", [&] {
    const at::NoGradGuard noGrad;
    at::init_num_threads();  // counts are per thread
    InterventionSweep sweep;
    sweep.options = request.options;
    sweep.options.across = valueOrThrow(sweepColumns(request.options));
    InterventionRun run(session, masks, request, request.options.site == "pattern", progress, stop);
    sweep.facts = run.facts();
    SweepPass(run, sweep, progress, stop)();
    return sweep;
  });
}

bool InterventionSweep::hasShares() const {
  return std::abs(facts.target - facts.base) > kLeastWay;  // never of NaN
}

std::vector<std::vector<double>> InterventionSweep::effects() const {
  const double way = hasShares() ? facts.target - facts.base : 1;
  std::vector<std::vector<double>> result = values;
  for (auto& row : result)
    for (double& value : row)
      value = (value - facts.base) / way;
  return result;
}

std::size_t InterventionSweep::columns() const {
  std::size_t most = 0;
  for (const auto& row : values)
    most = std::max(most, row.size());
  return most;
}

Intervention sweepPart(const InterventionSweep& sweep, int layer, int column) {
  const auto site = interventionSiteFromName(sweep.options.site);
  return partInColumn(site ? *site : InterventionSite::Heads, sweep.options.across, layer, column);
}

std::vector<Intervention> strongestParts(const InterventionSweep& sweep, std::size_t count) {
  struct Cell {
    double size;
    Intervention part;
  };
  std::vector<Cell> cells;
  const auto effects = sweep.effects();
  for (std::size_t l = 0; l < effects.size(); ++l)
    for (std::size_t c = 0; c < effects[l].size(); ++c)
      if (!std::isnan(effects[l][c]))
        cells.push_back(
            {std::abs(effects[l][c]), sweepPart(sweep, static_cast<int>(l), static_cast<int>(c))});
  std::stable_sort(cells.begin(), cells.end(),
                   [](const Cell& a, const Cell& b) { return a.size > b.size; });
  std::vector<Intervention> parts;
  for (std::size_t i = 0; i < std::min(count, cells.size()); ++i)
    parts.push_back(cells[i].part);
  return parts;
}

std::string sweepTitle(const InterventionSweep& sweep) {
  return siteWords(sweep.options.site) + " " + replacementWords(sweep) + ": " + sweep.facts.metric;
}

std::string sweepCsv(const InterventionSweep& sweep) {
  const std::string& across = sweep.options.across;
  std::string csv = std::string("layer,") +
                    (across == "heads"    ? "head"
                     : across == "tokens" ? "token"
                                          : "column") +
                    ",value,effect\n";
  const auto effects = sweep.effects();
  for (std::size_t l = 0; l < effects.size(); ++l)
    for (std::size_t c = 0; c < effects[l].size(); ++c)
      csv += std::to_string(l) + "," + std::to_string(c) + "," + numberText(sweep.values[l][c]) +
             "," + numberText(effects[l][c]) + "\n";
  return csv;
}

}  // namespace headlight
