// SPDX-License-Identifier: GPL-3.0-or-later

// heads: a number for every head, of images or over a dataset, and the heads that meet a bound.

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/cli/options/ImageSourceOptions.h"
#include "app/cli/options/Inputs.h"
#include "app/cli/options/MeasuredImages.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/config/MasksJson.h"
#include "core/masks/MaskEdit.h"
#include "core/models/Registry.h"
#include "core/workbench/evaluation/HeadMetrics.h"
#include "core/workbench/figures/HeadFigure.h"

namespace headlight::cli {
namespace {

std::string valueText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%9.4g", value);
  return std::isnan(value) ? "        -" : text;
}

std::string placeText(const HeadPlace& place) {
  return std::to_string(place.layer) + ":" + std::to_string(place.head);
}

Json placesJson(const std::vector<HeadPlace>& places) {
  Json list = Json::array();
  for (const HeadPlace& place : places)
    list.push_back({{"layer", place.layer}, {"head", place.head}});
  return list;
}

class HeadsCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "heads", tr("Measure head metrics: locality, entropy, distance, importance, learned alpha, "
                    "attention sinks, value norms, output rank"));
    m_images.declare(*command);
    std::vector<std::string> names;
    for (const HeadMeasureInfo& info : headMeasures())
      names.push_back(info.name);
    command
        ->add_option("--measure", m_measureNames,
                     tr("Metrics, separated by commas: ") + joined(names) +
                         tr("; default als,entropy,distance"))
        ->delimiter(',')
        ->type_name("NAME");
    command->add_flag("--sort", m_sort, tr("Also list the heads by value, largest first"));
    command
        ->add_option("--select", m_selection,
                     tr("Also list the heads that meet this condition, as layer:head: a metric, "
                        "one of < <= > >=, and a number (\"als<0.2\"). Several conditions, "
                        "separated by commas, must all hold"))
        ->delimiter(',')
        ->type_name("TEXT");
    command
        ->add_option(
            "--set", m_set,
            tr("Mask for the selected heads, such as hard:3 or none; needs --select and --output"))
        ->type_name("MASK");
    command->add_option("-o,--output", m_output, tr("Write the resulting mask scheme as JSON"))
        ->type_name("FILE");
    command
        ->add_option("--figure", m_figure,
                     tr("Also plot every head by depth over all images, with deviations and chance "
                        "level (.pdf, .svg or .png), or write the numbers (.csv). With several "
                        "metrics each has its own file, named NAME-METRIC"))
        ->type_name("FILE");
    m_images.keep.declare(*command);
    declareJson(*command, m_json);
    m_images.declareSources(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    check();
    prepareOutput("--output", m_output, terminal);
    const auto images = expandImages(m_images.images);
    if (images.size() > 1 && !m_conditions.empty())
      refuseUsage("--select", tr("takes one image, or a dataset for averages"));
    const ImageSample sample = m_images.sample();
    m_session = m_images.open(terminal);
    requireAttention(m_session->info());
    if (m_images.severalMaps(*m_session) && !m_conditions.empty())
      refuseUsage("--select", tr("takes one image (FILE[0]), or a dataset for averages"));
    m_masks = m_images.model.masksFor(m_session->info());
    const int exitCode = measure(images, sample, terminal, stop);
    if (terminal.json())
      terminal.printJson(imageResultsJson(m_session->info(), m_masks, m_results, m_output));
    return exitCode;
  }

 private:
  /// What can be said before the model is loaded.
  void check() {
    m_images.check();
    if (m_measureNames.empty()) m_measureNames = {"als", "entropy", "distance"};
    for (const std::string& name : m_measureNames)
      add(valueOrThrow(headMeasureFromName(name)));
    for (const std::string& text : m_selection) {
      m_conditions.push_back(valueOrThrow(headConditionFromText(text)));
      add(m_conditions.back().measure);
    }
    if (m_set.empty() != m_output.empty())
      refuseUsage(m_set.empty() ? "--output" : "--set",
                  tr("writes a mask scheme; give --select, --set and --output together"));
    if (!m_set.empty() && m_conditions.empty())
      refuseUsage("--set", tr("needs --select to choose the heads"));
    if (!m_set.empty()) m_mask = valueOrThrow(headMaskFromText(m_set));
    if (!m_figure.empty()) valueOrThrow(checkHeadFigureName(m_figure));
  }

  void add(HeadMetric measure) {
    if (std::find(m_measures.begin(), m_measures.end(), measure) == m_measures.end())
      m_measures.push_back(measure);
  }

  int measure(const std::vector<std::filesystem::path>& images, const ImageSample& sample,
              Terminal& terminal, std::stop_token stop) {
    const bool several = images.size() > 1 || m_images.severalMaps(*m_session);
    if (several && !m_figure.empty()) return averageImages(images, terminal, stop);
    if (images.empty()) return measureData(sample, terminal, stop);
    return measureImages(images, terminal, stop);
  }

  int measureData(const ImageSample& sample, Terminal& terminal, std::stop_token stop) {
    ProgressBar bar(terminal);
    const auto measured = valueOrThrow(keptHeads(
        m_images.keep.keeping(), {*m_session, sample, m_masks}, m_measures, bar.callback(), stop));
    terminal.setStatus("");
    report(Json(nullptr), measured, terminal);
    return kExitOk;
  }

  /// Into one figure.
  int averageImages(const std::vector<std::filesystem::path>& images, Terminal& terminal,
                    std::stop_token stop) {
    ProgressBar bar(terminal);
    const ImageSource feed = m_images.maps ? feedOfMaps(*m_session) : makeImageSource(images);
    const auto measured = valueOrThrow(
        measureHeadMetrics(*m_session, feed, m_masks, m_measures, bar.callback(), stop));
    terminal.setStatus("");
    warnOfUnread(measured.fed, terminal);
    if (!terminal.json() && measured.fed.images > 0)  // learned α needs none
      terminal.print(tr("averaged over ") + fedText(measured.fed));
    report(Json(nullptr), measured.values, terminal);
    return kExitOk;
  }

  int measureImages(const std::vector<std::filesystem::path>& images, Terminal& terminal,
                    std::stop_token stop) {
    return m_images.forEach(images, !m_conditions.empty(), *m_session, terminal,
                            [&](const auto& path, const Image& image) {
                              std::vector<HeadValues> measured;
                              for (const HeadMetric measure : m_measures) {
                                ProgressBar bar(terminal);
                                measured.push_back(valueOrThrow(measureHeadMetrics(
                                    *m_session, image, m_masks, measure, bar.callback(), stop)));
                              }
                              terminal.setStatus("");
                              if (!terminal.json()) terminal.print(path.string());
                              report(path.string(), measured, terminal);
                            });
  }

  void report(const Json& image, const std::vector<HeadValues>& measured, Terminal& terminal) {
    Json list = Json::array();
    for (const HeadValues& values : measured) {
      if (!terminal.json()) print(values, terminal);
      list.push_back(toJson(values));
    }
    writeFigures(measured, terminal);
    Json result = {{"image", image}, {"measures", list}};
    if (!m_conditions.empty()) {
      const auto chosen = select(measured);
      result["selected"] = placesJson(chosen);
      if (!terminal.json()) printSelected(chosen, terminal);
      if (!m_output.empty()) writeScheme(chosen, terminal);
    }
    m_results.push_back(result);
  }

  void writeFigures(const std::vector<HeadValues>& measured, Terminal& terminal) const {
    if (m_figure.empty()) return;
    const std::filesystem::path name = m_figure;
    for (const HeadValues& values : measured) {
      const std::string ending = "-" + findInfo(values.measure).name + name.extension().string();
      const std::filesystem::path path =
          measured.size() == 1 ? name : name.parent_path() / (name.stem().string() + ending);
      valueOrThrow(writeHeadFigure(path, values));
      terminal.note("written: " + path.string());
    }
  }

  /// The heads that meet every condition.
  std::vector<HeadPlace> select(const std::vector<HeadValues>& measured) const {
    std::vector<HeadPlace> chosen;
    for (std::size_t i = 0; i < m_conditions.size(); ++i) {
      const auto values = std::find_if(
          measured.begin(), measured.end(),
          [&](const HeadValues& one) { return one.measure == m_conditions[i].measure; });
      const auto meets = headsWhere(*values, m_conditions[i]);
      if (i == 0) chosen = meets;
      std::erase_if(chosen, [&](const HeadPlace& place) {
        return std::find(meets.begin(), meets.end(), place) == meets.end();
      });
    }
    return chosen;
  }

  void writeScheme(const std::vector<HeadPlace>& chosen, Terminal& terminal) const {
    MaskScheme scheme = m_masks;
    valueOrThrow(applyMaskEdit(
        scheme, valueOrThrow(makeMaskEdit(m_masks, chosen, m_mask, tr("selected heads")))));
    valueOrThrow(writeFileAtomically(m_output, maskFileText(scheme)));
    terminal.note(std::to_string(chosen.size()) + tr(" heads set to ") + shortText(m_mask) +
                  " in " + m_output);
  }

  Json toJson(const HeadValues& values) const {
    const HeadMeasureInfo& info = findInfo(values.measure);
    Json json = {{"name", info.name},
                 {"title", info.title},
                 {"unit", info.unit},
                 {"larger", info.larger},
                 {"values", values.values},  // NaN (none) becomes null
                 {"chance", values.chance},
                 {"pictures", values.images},
                 {"deviations", values.deviations},
                 {"note", values.note},
                 {"measured", measuredJson(values.measured)}};
    if (m_sort) json["sorted"] = placesJson(sortedHeads(values));
    return json;
  }

  void print(const HeadValues& values, Terminal& terminal) const {
    const HeadMeasureInfo& info = findInfo(values.measure);
    std::string title = info.name + "  " + info.title;
    if (!info.unit.empty()) title += " in " + info.unit;
    title += tr(", larger: ") + info.larger;
    if (values.images > 0)
      title += "; " + std::to_string(values.images) +
               (values.images == 1 ? tr(" image") : tr(" images"));
    terminal.print(title);
    if (!values.note.empty()) terminal.print("  " + values.note);
    if (!values.measured.empty()) terminal.print("  " + measuredText(values.measured));
    std::size_t most = 0;
    for (const auto& layer : values.values)
      most = std::max(most, layer.size());
    std::string header = info.hasChance ? "  layer   chance" : "  layer";
    for (std::size_t h = 0; h < most; ++h) {
      char column[32];
      std::snprintf(column, sizeof column, " %9zu", h);
      header += column;
    }
    terminal.print(header);
    for (std::size_t l = 0; l < values.values.size(); ++l)
      terminal.print(row(values, l, info.hasChance));
    if (m_sort) printSorted(values, terminal);
  }

  static std::string row(const HeadValues& values, std::size_t layer, bool withChance) {
    char label[32];
    std::snprintf(label, sizeof label, "  %5zu", layer);
    std::string line = label;
    if (withChance) line += valueText(values.chance[layer]);
    for (const double value : values.values[layer])
      line.append(" ").append(valueText(value));
    return line;
  }

  static void printSorted(const HeadValues& values, Terminal& terminal) {
    for (const HeadPlace& place : sortedHeads(values)) {
      char line[64];
      std::snprintf(line, sizeof line, "  %8s", placeText(place).c_str());
      terminal.print(line + valueText(values.values[place.layer][place.head]));
    }
  }

  void printSelected(const std::vector<HeadPlace>& chosen, Terminal& terminal) const {
    terminal.print(joined(m_selection) + ": " + std::to_string(chosen.size()) +
                   (chosen.size() == 1 ? tr(" head") : tr(" heads")));
    for (const HeadPlace& place : chosen)
      terminal.print(placeText(place));
  }

  std::vector<std::string> m_measureNames, m_selection;
  std::string m_set, m_output, m_figure;
  bool m_sort = false, m_json = false;
  MeasuredImages m_images;

  std::vector<HeadMetric> m_measures;
  std::vector<HeadCondition> m_conditions;
  HeadMask m_mask;
  std::unique_ptr<InferenceSession> m_session;
  MaskScheme m_masks;
  Json m_results = Json::array();
};

}  // namespace

std::unique_ptr<Command> makeHeadsCommand() {
  return std::make_unique<HeadsCommand>();
}

}  // namespace headlight::cli
