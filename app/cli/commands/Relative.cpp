// SPDX-License-Identifier: GPL-3.0-or-later

// relative: mean attention by relative position, averaged over images; of IBiT also what its mask
// does to the gradients.

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/cli/options/ImageSourceOptions.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "core/base/Translation.h"
#include "core/workbench/attribution/GradientBiasing.h"
#include "core/workbench/figures/RelativeFigure.h"
#include "core/workbench/loading/WeightsName.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

/// [head][row][column].
Json headsJson(const RelativeLayer& layer) {
  Json heads = Json::array();
  for (int h = 0; h < layer.heads; ++h) {
    Json rows = Json::array();
    const auto begin = layer.values.begin() + std::ptrdiff_t{h} * layer.rows() * layer.cols();
    for (int r = 0; r < layer.rows(); ++r)
      rows.push_back(std::vector<double>(begin + std::ptrdiff_t{r} * layer.cols(),
                                         begin + std::ptrdiff_t{r + 1} * layer.cols()));
    heads.push_back(rows);
  }
  return heads;
}

Json relativeJson(const RelativeMaps& maps) {
  Json layers = Json::array();
  for (const RelativeLayer& layer : maps.layers)
    layers.push_back({{"rows", layer.grid.rows},
                      {"cols", layer.grid.cols},
                      {"values", headsJson(layer)}});  // NaN (no number) becomes null
  return {{"title", maps.title}, {"meaning", maps.meaning}, {"layers", layers}};
}

/// What each head of a layer gives to the patch that looks itself.
std::string plotPatchLine(const RelativeLayer& layer, int index) {
  char label[32];
  std::snprintf(label, sizeof label, "  %5d", index);
  std::string line = label;
  for (int h = 0; h < layer.heads; ++h) {
    const double value = layer.at(h, 0, 0);  // NaN: a ratio to nothing
    std::snprintf(label, sizeof label, " %9.4g", value);
    line += std::isnan(value) ? "         -" : label;
  }
  return line;
}

class RelativeCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "relative", tr("Average attention by patch offset, for every head, over images"));
    m_images.declare(*command);
    command->add_flag(
        "--gradient-biasing", m_biasing,
        tr("For IBiT, instead: the mean magnitude of the loss gradient at the logits by offset, "
           "with the learned mask and with 1 in its place, and their ratio"));
    const auto file = [&](const char* flag, std::string& target, const char* help) {
      command->add_option(flag, target, help)->type_name("FILE");
    };
    file("--figure", m_figure,
         tr("Write a figure with one tile per head and one row per layer (.png, .svg or .pdf), or "
            "the numbers (.csv). With --gradient-biasing, three files: FILE-masked, -unmasked and "
            "-ratio"));
    file("-o,--output", m_output,
         tr("Write the numbers as safetensors: `relative.L` [H, 2g-1, 2g'-1] for every layer with "
            "grid g x g'; with --gradient-biasing `masked.L`, `unmasked.L` and `ratio.L`; - for "
            "standard output"));
    command
        ->add_option("--colormap", m_colorMap, tr("Color map of unsigned figures; default viridis"))
        ->type_name("NAME");
    command->add_flag("--shared-scale", m_style.oneScale, tr("Use one color scale for all heads"));
    command->add_flag("--json", m_json,
                      tr("Print the result as one JSON object, with every number"));
    m_images.declareSources(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    m_images.check();
    if (m_images.maps && m_biasing)
      refuseUsage("--gradient-biasing", tr("needs a model; a map file is not enough"));
    if (!m_figure.empty()) valueOrThrow(checkRelativeFigureName(m_figure));
    m_style.colorMap = valueOrThrow(colorMapFromName(m_colorMap));
    prepareOutput("--output", m_output, terminal);
    const auto session = m_images.open(terminal);
    requireAttention(session->info());
    const MaskScheme masks = m_images.model.masksFor(session->info());
    m_style.subject = makeModelTitle(session->info()) + tr(", masks ") + schemeTitle(masks);
    const ImageSource feed = m_images.feed(*session);
    ProgressBar bar(terminal);
    m_result = {{"model", modelJson(session->info(), masks)}};
    if (m_biasing)
      report(valueOrThrow(measureGradientBiasing(*session, feed, masks, bar.callback(), stop)),
             terminal);
    else
      report(valueOrThrow(measureRelative(*session, feed, masks, bar.callback(), stop)), terminal);
    terminal.setStatus("");
    if (!m_output.empty()) valueOrThrow(writeRawResults(m_output, {{}}, {}, m_arrays));
    m_result["output"] = m_output.empty() ? Json(nullptr) : Json(m_output);
    if (terminal.json()) terminal.printJson(m_result);
    return kExitOk;
  }

 private:
  void report(const RelativeMaps& maps, Terminal& terminal) {
    begin(maps.fed, terminal);
    add(maps, "relative", m_figure, terminal);
  }

  void report(const GradientBiasing& biasing, Terminal& terminal) {
    begin(biasing.masked.fed, terminal);
    m_result["unlabeled"] = biasing.unlabeled;
    if (!terminal.json()) terminal.print(lossText(biasing));
    const auto named = [&](const std::string& part) {
      if (m_figure.empty()) return std::string();
      const fs::path path = m_figure;
      return (path.parent_path() / (path.stem().string() + "-" + part + path.extension().string()))
          .string();
    };
    add(biasing.masked, "masked", named("masked"), terminal);
    add(biasing.unmasked, "unmasked", named("unmasked"), terminal);
    add(biasing.ratio, "ratio", named("ratio"), terminal);
  }

  void begin(const SourceCount& count, Terminal& terminal) {
    terminal.setStatus("");
    warnOfUnread(count, terminal);
    m_result["pictures"] = count.images;
    m_result["unread"] = count.unread;
  }

  void add(const RelativeMaps& maps, const std::string& name, const std::string& figure,
           Terminal& terminal) {
    m_result[name] = relativeJson(maps);
    for (RawArray& array : relativeArrays(maps, name))
      m_arrays.push_back(std::move(array));
    if (!terminal.json()) print(maps, terminal);
    if (figure.empty()) return;
    valueOrThrow(writeRelativeFigure(figure, maps, m_style));
    terminal.note("written: " + figure);
  }

  static void print(const RelativeMaps& maps, Terminal& terminal) {
    terminal.print(maps.title + "; " + fedText(maps.fed));
    if (!maps.meaning.empty()) terminal.print("  " + maps.meaning);
    terminal.print(tr("  at offset 0 (the patch itself), by layer and head:"));
    for (std::size_t l = 0; l < maps.layers.size(); ++l)
      terminal.print(plotPatchLine(maps.layers[l], static_cast<int>(l)));
  }

  bool m_biasing = false, m_json = false;
  std::string m_figure, m_output, m_colorMap = "viridis";
  RelativeStyle m_style;
  ImageSourceOptions m_images;
  Json m_result;
  std::vector<RawArray> m_arrays;
};

}  // namespace

std::unique_ptr<Command> makeRelativeCommand() {
  return std::make_unique<RelativeCommand>();
}

}  // namespace headlight::cli
