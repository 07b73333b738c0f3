// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/InterventionText.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/cli/options/ModelOptions.h"
#include "core/base/Translation.h"

namespace headlight::cli {
namespace {

constexpr std::size_t kStrongest = 10;
constexpr std::size_t kWidestTable = 16;  ///< columns

std::string interventionNumber(const char* format, double value) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string layerCell(std::size_t layer) {
  return interventionNumber("  %5.0f", static_cast<double>(layer));
}

void printEffectRows(const std::vector<std::vector<double>>& rows, Terminal& terminal) {
  for (std::size_t l = 0; l < rows.size(); ++l) {
    std::string line = layerCell(l);
    for (const double value : rows[l])
      line += interventionNumber(" %9.4f", value);
    terminal.print(line);
  }
}

std::string columnTitles(std::size_t columns) {
  std::string line = tr("  layer");
  for (std::size_t c = 0; c < columns; ++c)
    line += interventionNumber(" %9.0f", static_cast<double>(c));
  return line;
}

Json factsJson(const InterventionFacts& facts) {
  return {{"metric", facts.metric},
          {"class", facts.classIndex},
          {"against", facts.against < 0 ? Json(nullptr) : Json(facts.against)},
          {"base", facts.base},
          {"target", facts.target},  // NaN (none) becomes null
          {"runs", facts.runsOther ? "other" : "image"}};
}

double effectAt(const std::vector<std::vector<double>>& effects, const Intervention& part) {
  const auto column = static_cast<std::size_t>(std::max({part.head, part.token, 0}));
  return effects[static_cast<std::size_t>(part.layer)][column];
}

std::string basis(const InterventionFacts& facts) {
  std::string text = tr("  as it is ") + interventionNumber("%.4f", facts.base);
  if (!std::isnan(facts.target))
    text += tr(", source image ") + interventionNumber("%.4f", facts.target);
  return text;
}

Json partTexts(const std::vector<Intervention>& parts) {
  Json texts = Json::array();
  for (const Intervention& part : parts)
    texts.push_back(interventionText(part));
  return texts;
}

/// Two lists of the same length beside each other.
void printTopBeside(const std::vector<ClassScore>& before, const std::vector<ClassScore>& after,
                    Terminal& terminal) {
  terminal.print(tr("  before                                 after"));
  for (std::size_t i = 0; i < after.size(); ++i) {
    const auto line = [](const ClassScore& score) {
      return score.name + interventionNumber(" %.1f %%", 100.0 * score.probability);
    };
    const std::string first = line(before[i]);
    const std::string gap(first.size() < 38 ? 38 - first.size() : 1, ' ');
    terminal.print("  " + first + gap + " " + line(after[i]));
  }
}

Json registerRunJson(const RegisterRun& run) {
  Json layers = Json::array();
  for (std::size_t l = 0; l < run.maps.size(); ++l) {
    const OutlierLayer& layer = run.norms.layers[l];
    layers.push_back({{"rows", layer.grid.rows},
                      {"cols", layer.grid.cols},
                      {"norms", layer.norms},
                      {"median", layer.median},
                      {"outliers", layer.outliers},
                      {"map", run.maps[l]}});
  }
  return {{"logits", run.logits}, {"top", topJson(run.top)}, {"layers", layers}};
}

}  // namespace

void printSweep(const InterventionSweep& sweep, Terminal& terminal) {
  const auto effects = sweep.effects();
  terminal.print(sweepTitle(sweep));
  terminal.print(basis(sweep.facts));
  terminal.print(sweep.hasShares() ? tr("  effects are shares of the way between the two")
                                   : tr("  effects are changes of the metric"));
  if (sweep.columns() <= kWidestTable) {
    terminal.print(columnTitles(sweep.columns()));
    printEffectRows(effects, terminal);
  }
  terminal.print(tr("strongest:"));
  for (const Intervention& part : strongestParts(sweep, kStrongest))
    terminal.print("  " + interventionText(part) +
                   interventionNumber("  %.4f", effectAt(effects, part)));
}

Json sweepJson(const InterventionSweep& sweep) {
  return {{"facts", factsJson(sweep.facts)},
          {"site", sweep.options.site},
          {"across", sweep.options.across},
          {"replace", sweep.options.replace},
          {"shares", sweep.hasShares()},
          {"values", sweep.values},
          {"effects", sweep.effects()},
          {"strongest", partTexts(strongestParts(sweep, kStrongest))}};
}

void printEffect(const InterventionEffect& effect, const std::vector<Intervention>& parts,
                 Terminal& terminal) {
  std::string names;
  for (const Intervention& part : parts)
    names += " " + interventionText(part);
  terminal.print(tr("replaced:") + names);
  terminal.print(effect.facts.metric + interventionNumber(" %.4f", effect.facts.base) + " → " +
                 interventionNumber("%.4f", effect.value));
  printTopBeside(effect.topBefore, effect.topAfter, terminal);
  terminal.print(tr("  layer  tokens  maps of heads (change, 0 to 1)"));
  for (std::size_t l = 0; l < effect.mapChange.size(); ++l) {
    std::string line = layerCell(l) + interventionNumber(" %7.3f ", effect.tokenChange[l]);
    for (const double change : effect.mapChange[l])
      line += interventionNumber(" %6.3f", change);
    terminal.print(line);
  }
}

Json effectJson(const InterventionEffect& effect, const std::vector<Intervention>& parts) {
  return {{"facts", factsJson(effect.facts)},
          {"parts", partTexts(parts)},
          {"value", effect.value},
          {"before", {{"logits", effect.logitsBefore}, {"top", topJson(effect.topBefore)}}},
          {"after", {{"logits", effect.logitsAfter}, {"top", topJson(effect.topAfter)}}},
          {"map_change", effect.mapChange},
          {"token_change", effect.tokenChange}};
}

void printAttribution(const LogitAttribution& attribution, Terminal& terminal) {
  terminal.print(attribution.metric + interventionNumber(" %.4f", attribution.logit));
  terminal.print(tr("  constant ") + interventionNumber("%.4f", attribution.constant) +
                 tr(", embedding ") + interventionNumber("%.4f", attribution.embedding));
  terminal.print(tr("  layer attention       MLP      rest  heads"));
  for (std::size_t l = 0; l < attribution.mlp.size(); ++l) {
    std::string line = layerCell(l) + interventionNumber(" %9.4f", attribution.attention[l]) +
                       interventionNumber(" %9.4f", attribution.mlp[l]) +
                       interventionNumber(" %9.4f ", attribution.rest[l]);
    for (const double head : attribution.heads[l])
      line += interventionNumber(" %8.4f", head);
    terminal.print(line);
  }
}

Json attributionJson(const LogitAttribution& attribution) {
  return {{"metric", attribution.metric},
          {"class", attribution.classIndex},
          {"logit", attribution.logit},
          {"constant", attribution.constant},
          {"embedding", attribution.embedding},
          {"attention", attribution.attention},
          {"mlp", attribution.mlp},
          {"rest", attribution.rest},
          {"heads", attribution.heads}};
}

void printComposition(const HeadComposition& composition, CompositionInput input,
                      Terminal& terminal) {
  terminal.print(compositionTitle(input) + tr("; random matrices ") +
                 interventionNumber("%.4f", composition.chance));
  terminal.print(tr("  from      to    score"));
  for (const ComposedPair& pair : strongestPairs(composition, input, 2 * kStrongest)) {
    char line[80];
    std::snprintf(line, sizeof line, "  %2d.%-3d -> %2d.%-3d %.4f", pair.fromLayer, pair.fromHead,
                  pair.toLayer, pair.toHead, pair.score);
    terminal.print(line);
  }
}

Json compositionJson(const HeadComposition& composition) {
  const auto rows = [&](const std::vector<double>& scores) {
    Json table = Json::array();
    const int heads = composition.total();
    for (int row = 0; row < heads; ++row)
      table.push_back(std::vector<double>(scores.begin() + std::ptrdiff_t{row} * heads,
                                          scores.begin() + std::ptrdiff_t{row + 1} * heads));
    return table;  // NaN (not of an earlier layer) becomes null
  };
  return {{"heads", composition.heads},
          {"chance", composition.chance},
          {"query", rows(composition.query)},
          {"key", rows(composition.key)},
          {"value", rows(composition.value)}};
}

void printOutliers(const OutlierReport& report, Terminal& terminal) {
  terminal.print(tr("patches longer than ") + interventionNumber("%g", report.factor) +
                 tr(" times the median of their layer"));
  terminal.print(tr("  layer outliers   median      max  sinks of heads (share of attention)"));
  for (std::size_t l = 0; l < report.layers.size(); ++l) {
    const OutlierLayer& layer = report.layers[l];
    const float most =
        *std::max_element(layer.norms.begin() + layer.grid.prefix, layer.norms.end());
    std::string line =
        layerCell(l) + interventionNumber(" %8.0f", static_cast<double>(layer.outliers.size())) +
        interventionNumber(" %8.2f", layer.median) + interventionNumber(" %8.2f ", most);
    for (const double sink : layer.sink)
      line += interventionNumber(" %6.3f", sink);
    terminal.print(line);
  }
}

Json outliersJson(const OutlierReport& report) {
  Json layers = Json::array();
  for (const OutlierLayer& layer : report.layers)
    layers.push_back({{"rows", layer.grid.rows},
                      {"cols", layer.grid.cols},
                      {"norms", layer.norms},
                      {"median", layer.median},
                      {"outliers", layer.outliers},
                      {"sink", layer.sink},
                      {"sink_token", layer.sinkToken},
                      {"value_norm", layer.valueNorm},
                      {"sink_value", layer.sinkValue},
                      {"output_rank", layer.outputRank}});  // NaN (not told) becomes null
  return {{"factor", report.factor}, {"layers", layers}};
}

void printRegisters(const RegisterReport& report, Terminal& terminal) {
  terminal.print(registersTitle(report));
  if (!report.neurons.empty())
    terminal.print(tr("  outliers from layer ") + std::to_string(report.outlierLayer) +
                   tr(" on; neurons found over ") + fedText(report.fed));
  if (!report.after.top.empty()) printTopBeside(report.before.top, report.after.top, terminal);
  terminal.print(tr("  layer outliers    after      max    after  registers (norms)"));
  for (std::size_t l = 0; l < report.before.norms.layers.size(); ++l) {
    std::string line = layerCell(l);
    const OutlierLayer* layers[] = {&report.before.norms.layers[l], &report.after.norms.layers[l]};
    for (const OutlierLayer* layer : layers)
      line += interventionNumber(" %8.0f", static_cast<double>(layer->outliers.size()));
    for (const OutlierLayer* layer : layers)
      line += interventionNumber(
          " %8.2f",
          *std::max_element(layer->norms.begin() + layer->grid.prefix, layer->norms.end()));
    line += " ";
    for (const float norm : report.registerNorms[l])
      line += interventionNumber(" %8.2f", norm);
    terminal.print(line);
  }
}

Json registersJson(const RegisterReport& report) {
  Json neurons = Json::array();
  for (const RegisterNeuron& neuron : report.neurons)
    neurons.push_back(
        {{"layer", neuron.layer}, {"unit", neuron.unit}, {"activation", neuron.activation}});
  return {{"registers", report.options.registers},
          {"factor", report.before.norms.factor},
          {"images", report.fed.images},
          {"outlier_layer", report.outlierLayer < 0 ? Json(nullptr) : Json(report.outlierLayer)},
          {"neurons", neurons},
          {"before", registerRunJson(report.before)},
          {"after", registerRunJson(report.after)},
          {"register_norms", report.registerNorms}};
}

}  // namespace headlight::cli
