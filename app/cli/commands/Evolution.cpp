// SPDX-License-Identifier: GPL-3.0-or-later

// evolution: what the heads of a run looked at while it was trained, from the maps in its folder.

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "app/cli/figures/EvolutionPictures.h"
#include "app/cli/figures/EvolutionScenes.h"
#include "app/cli/options/Inputs.h"
#include "app/cli/options/StyleOptions.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Text.h"
#include "core/base/files/Files.h"
#include "core/masks/HeadMean.h"
#include "core/workbench/figures/Films.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

/// Of a row of a strip, where the person does not say.
constexpr std::size_t kStripSteps = 8;

/// Of ALS or of α.
std::string meanText(const std::vector<std::vector<float>>& layers) {
  const double mean = meanOverHeads(layers);
  char text[16];
  std::snprintf(text, sizeof text, "%7.3f", mean);
  return std::isnan(mean) ? "      -" : text;
}

class EvolutionCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "evolution", "What the heads of a run looked at at every step that its folder kept");
    command->add_option("run", m_run, "The folder of a run; it may be going on")->type_name("RUN");
    const auto file = [&](const char* flag, std::string& target, const char* help) {
      command->add_option(flag, target, help)->type_name("FILE");
    };
    file("--strip", m_strip, "A picture of chosen heads (rows) at chosen steps (columns), as PNG");
    file("--film", m_film,
         "The same as a film: FILE.gif, FILE.avi, FILE.mp4, or a new folder for a PNG a step");
    file("--csv", m_csv,
         "Every head at every step: step, epoch, layer, head, als, alpha; - for standard output");
    command->add_flag("--json", m_json, "The result as one JSON object, with predictions");
    command->add_flag("--values", m_values, "With --json: also what the chosen heads look at");
    command
        ->add_option("--steps", m_choice.steps,
                     "Of these steps, separated by commas: of each the point at it or before it")
        ->delimiter(',')
        ->type_name("INT");
    command
        ->add_option("--most", m_choice.most,
                     "Without --steps: so many points, evenly from the first to the last; default "
                     "8 for --strip and --values, all for --film")
        ->type_name("INT")
        ->check(CLI::PositiveNumber.description(""));
    declareMaps(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    check();
    prepareOutput("--csv", m_csv, terminal);
    RecordedEvolution evolution = valueOrThrow(RecordedEvolution::open(m_run));
    for (const std::string& warning : evolution.warnings())
      terminal.warning(warning);
    if (evolution.moments().empty())
      throw Failure({ErrorCode::NotFound, "holds no point that can be read yet", m_run});
    if (!m_csv.empty()) writeCsv(evolution, terminal);
    if (!m_strip.empty()) drawStrip(evolution, stop, terminal);
    if (!m_film.empty()) drawFilm(evolution, stop, terminal);
    if (terminal.json())
      printJson(evolution, stop, terminal);
    else if (m_csv.empty() && m_strip.empty() && m_film.empty())
      list(evolution, terminal);
    return kExitOk;
  }

 private:
  void declareMaps(CLI::App& command) {
    const char* group = "Maps";
    const auto number = [&](const char* flag, auto& target, const char* help) {
      command.add_option(flag, target, help)->type_name("INT")->group(group);
    };
    number("--picture", m_choice.picture, "Which of the recorded pictures, from 0; default 0");
    number("--layer", m_choice.layer, "Heads of this layer, from 0; default: the last");
    number("--head", m_choice.head, "This head, from 0, of --layer or of every layer");
    command
        .add_option("--query", m_choice.query,
                    "The token that looks: class, mean (of all patches), a patch index, or "
                    "row,column; default: class, or mean where there is no class token")
        ->type_name("TEXT")
        ->group(group);
    command
        .add_option("--show", m_choice.show,
                    "attention, rollout, or by its name what the mechanism has learned for every "
                    "picture alike (another name lists them); default attention")
        ->type_name("TEXT")
        ->group(group);
    m_styleOptions.declare(command, m_style.picture, group);
    command
        .add_flag("--own-scale", m_style.ownScale,
                  "Each map on a scale of its own; default: one scale a head for all steps")
        ->group(group);
    command.add_option("--tile", m_style.picture.tile, "Pixels of a tile; default 112")
        ->type_name("INT")
        ->check(CLI::Range(16, 1024).description(""))
        ->group(group);
    command
        .add_option("--seconds", m_seconds, "Of a film: how long each step is shown; default 0.2")
        ->type_name("NUM")
        ->check(CLI::Range(0.02, 60.0).description(""))
        ->group(group);
  }

  /// What can be said before anything is read.
  void check() {
    if (m_run.empty())
      refuseUsage("evolution", "needs a RUN: the folder of a run; headlight-cli evolution --help");
    m_styleOptions.apply(m_style.picture);
    const auto format = m_film.empty() ? FilmFormat::Gif : filmFormatOf(m_film);
    if (!format) refuseUsage("--film", format.error().message);
    if (m_values && !m_json) refuseUsage("--values", "are part of the JSON; give --json too");
  }

  static Json momentJson(const EvolutionMoment& moment) {
    Json predictions = Json::array();
    for (const auto& classes : moment.top) {
      Json top = Json::array();
      for (const ClassScore& score : classes)
        top.push_back(
            {{"index", score.index}, {"name", score.name}, {"probability", score.probability}});
      predictions.push_back(top);
    }
    return {{"step", moment.step},
            {"epoch", moment.epoch},
            {"als", moment.locality},
            {"alpha", moment.alpha},  // NaN (not soft) becomes null
            {"top", predictions}};
  }

  static Json infoJson(const EvolutionInfo& info) {
    Json pictures = Json::array(), heads = Json::array(), queries = Json::array();
    for (const RecordedPicture& picture : info.pictures)
      pictures.push_back(
          {{"index", picture.index}, {"class", picture.label.name}, {"name", picture.name}});
    for (const EvolutionLayer& layer : info.layers)
      heads.push_back(layer.heads);
    for (const int query : info.queries)
      queries.push_back(recordedQueryText(query, info.grid));
    return {{"run", info.run},
            {"map", info.mapMeaning},
            {"signed", info.mapIsSigned},
            {"grid", {info.grid.rows, info.grid.cols}},
            {"heads", heads},
            {"queries", queries},
            {"pictures", pictures},
            {"stride", info.stride}};
  }

  void printJson(RecordedEvolution& evolution, std::stop_token stop, Terminal& terminal) {
    Json points = Json::array();
    for (const EvolutionMoment& moment : evolution.moments())
      points.push_back(momentJson(moment));
    Json result = infoJson(evolution.info());
    result["points"] = points;
    result["files"] = m_files;
    if (m_values) result["maps"] = valuesJson(chosenScene(evolution, m_choice, kStripSteps, stop));
    terminal.printJson(result);
  }

  static Json valuesJson(const EvolutionScene& scene) {
    Json maps = Json::array();
    for (const EvolvingMap& map : scene.maps)
      for (std::size_t m = 0; m < scene.moments.size(); ++m)
        maps.push_back({{"step", scene.moments[m].step},
                        {"layer", map.layer < 0 ? Json(nullptr) : Json(map.layer)},
                        {"head", map.head < 0 ? Json(nullptr) : Json(map.head)},
                        {"rows", map.rows},
                        {"columns", map.cols},
                        {"values", map.values[m]}});
    return {{"subject", scene.subject}, {"maps", maps}};
  }

  static void list(const RecordedEvolution& evolution, Terminal& terminal) {
    const EvolutionInfo& info = evolution.info();
    for (std::size_t i = 0; i < info.pictures.size(); ++i)
      terminal.print("picture " + std::to_string(i) + "  " + info.pictures[i].name + "  " +
                     info.pictures[i].label.name);
    terminal.print("    step  epoch  ALS      alpha    picture 0");
    for (const EvolutionMoment& moment : evolution.moments()) {
      char start[48];
      std::snprintf(start, sizeof start, "%8lld  %5lld", static_cast<long long>(moment.step),
                    static_cast<long long>(moment.epoch));
      terminal.print(start + meanText(moment.locality) + "  " + meanText(moment.alpha) + "  " +
                     likeliestText(moment, 0));
    }
  }

  void writeCsv(const RecordedEvolution& evolution, Terminal& terminal) {
    std::string text = "step,epoch,layer,head,als,alpha\n";
    const auto cell = [](float value) {
      return std::isfinite(value) ? numberText(static_cast<double>(value)) : std::string();
    };
    for (const EvolutionMoment& moment : evolution.moments())
      for (std::size_t l = 0; l < moment.alpha.size(); ++l)
        for (std::size_t h = 0; h < moment.alpha[l].size(); ++h) {
          const bool measured = l < moment.locality.size() && h < moment.locality[l].size();
          text += std::to_string(moment.step) + "," + std::to_string(moment.epoch) + "," +
                  std::to_string(l) + "," + std::to_string(h) + "," +
                  (measured ? cell(moment.locality[l][h]) : "") + "," + cell(moment.alpha[l][h]) +
                  "\n";
        }
    write(m_csv, text, terminal);
  }

  void write(const std::string& path, std::string_view bytes, Terminal& terminal) {
    valueOrThrow(writeFileAtomically(path, bytes));
    m_files.push_back(path);
    if (!terminal.json()) terminal.print(path == "-" ? "standard output" : path);
  }

  EvolutionStyle styleFor(const EvolutionScene& scene) const {
    EvolutionStyle style = m_style;
    style.picture.style = styleOf(style.picture.style, scene.plain);
    return style;
  }

  void drawStrip(RecordedEvolution& evolution, const std::stop_token& stop, Terminal& terminal) {
    const EvolutionScene drawn = chosenScene(evolution, m_choice, kStripSteps, stop);
    const Image strip = evolutionStrip(drawn, styleFor(drawn), scalesOf(drawn, styleFor(drawn)));
    write(m_strip, valueOrThrow(encodePng(strip, {{"Software", "Headlight"}})), terminal);
  }

  void drawFilm(RecordedEvolution& evolution, const std::stop_token& stop, Terminal& terminal) {
    const EvolutionScene drawn = chosenScene(evolution, m_choice, evolution.moments().size(), stop);
    const EvolutionStyle style = styleFor(drawn);
    const std::vector<DrawnMap> scales = scalesOf(drawn, style);
    const auto film = valueOrThrow(FilmFile::create(m_film, m_seconds));
    for (std::size_t m = 0; m < drawn.moments.size(); ++m) {
      requireGoingOn(stop);
      terminal.setStatus("frame " + std::to_string(m + 1) + " of " +
                         std::to_string(drawn.moments.size()));
      valueOrThrow(film->add(evolutionFrame(drawn, m, style, scales)));
    }
    terminal.setStatus("");
    const int frames = valueOrThrow(film->finish());
    m_files.push_back(m_film);
    if (!terminal.json())
      terminal.print(m_film + ": " + std::to_string(frames) + " frames, " + film->coding());
  }

  std::string m_run, m_strip, m_film, m_csv;
  bool m_json = false, m_values = false;
  EvolutionChoice m_choice;
  double m_seconds = 0.2;
  EvolutionStyle m_style;
  StyleOptions m_styleOptions;
  Json m_files = Json::array();
};

}  // namespace

std::unique_ptr<Command> makeEvolutionCommand() {
  return std::make_unique<EvolutionCommand>();
}

}  // namespace headlight::cli
