// SPDX-License-Identifier: GPL-3.0-or-later

// evolution: what the heads of a run looked at while it was trained, from the maps in its folder.

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "app/cli/figures/EvolutionImages.h"
#include "app/cli/figures/EvolutionScenes.h"
#include "app/cli/options/Inputs.h"
#include "app/cli/options/OldFlags.h"
#include "app/cli/options/StyleOptions.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/masks/HeadMean.h"
#include "core/workbench/figures/Films.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

/// Steps of a strip by default.
constexpr std::size_t kStripSteps = 8;

/// For ALS or α.
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
        "evolution", tr("Show how a run's attention maps changed over its recorded steps"));
    command->add_option("run", m_run, tr("Folder of a run; the run may still be in progress"))
        ->type_name("RUN");
    const auto file = [&](const char* flag, std::string& target, const char* help) {
      command->add_option(flag, target, help)->type_name("FILE");
    };
    file("--strip", m_strip,
         tr("Write the chosen heads (rows) at the chosen steps (columns) as one PNG image"));
    file(
        "--film", m_film,
        tr("Write a film: FILE.gif, FILE.avi, FILE.mp4, or a new folder with a PNG for each step"));
    file("--csv", m_csv,
         tr("Write CSV with step, epoch, layer, head, als, alpha of every head at every step; - "
            "for standard output"));
    command->add_flag("--json", m_json,
                      tr("Print the result as one JSON object, with predictions"));
    command->add_flag("--values", m_values,
                      tr("With --json: also the attention values of the chosen heads"));
    command
        ->add_option(
            "--steps", m_choice.steps,
            tr("Steps, separated by commas; each selects the recorded point at or before it"))
        ->delimiter(',')
        ->type_name("INT");
    command
        ->add_option("--most", m_choice.most,
                     tr("Without --steps: number of points, evenly spaced from first to last; "
                        "default 8 for --strip and --values, all for --film"))
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
      throw Failure(
          {ErrorCode::NotFound, tr("has no readable recorded point yet; try again later"), m_run});
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
    number("--image", m_choice.image, tr("Recorded image, counted from 0; default 0"));
    acceptOldFlag(command, "--picture", m_choice.image);
    number("--layer", m_choice.layer, tr("Layer, counted from 0; default: the last"));
    number("--head", m_choice.head, tr("Head, counted from 0, in --layer or in every layer"));
    command
        .add_option("--query", m_choice.query,
                    tr("Query token: class, mean (of all patches), a patch index, or row,column; "
                       "default: class, or mean if there is no class token"))
        ->type_name("TEXT")
        ->group(group);
    command
        .add_option("--show", m_choice.show,
                    tr("attention, rollout, or the name of a learned map of the mechanism (an "
                       "unknown name lists them); default attention"))
        ->type_name("TEXT")
        ->group(group);
    m_styleOptions.declare(command, m_style.image, group);
    command
        .add_flag("--own-scale", m_style.ownScale,
                  tr("Scale each map separately; default: one scale per head for all steps"))
        ->group(group);
    command.add_option("--tile", m_style.image.tile, tr("Tile size in pixels; default 112"))
        ->type_name("INT")
        ->check(CLI::Range(16, 1024).description(""))
        ->group(group);
    command.add_option("--seconds", m_seconds, tr("Film: seconds per step; default 0.2"))
        ->type_name("NUM")
        ->check(CLI::Range(0.02, 60.0).description(""))
        ->group(group);
  }

  /// What can be said before anything is read.
  void check() {
    if (m_run.empty())
      refuseUsage("evolution",
                  tr("needs a RUN, the folder of a run; see headlight-cli evolution --help"));
    m_styleOptions.apply(m_style.image);
    const auto format = m_film.empty() ? FilmFormat::Gif : findFilmFormat(m_film);
    if (!format) refuseUsage("--film", format.error().message);
    if (m_values && !m_json) refuseUsage("--values", tr("are printed as JSON; add --json"));
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
    Json images = Json::array(), heads = Json::array(), queries = Json::array();
    for (const RecordedImage& image : info.images)
      images.push_back({{"index", image.index}, {"class", image.label.name}, {"name", image.name}});
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
            {"pictures", images},
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
    for (std::size_t i = 0; i < info.images.size(); ++i)
      terminal.print(tr("image ") + std::to_string(i) + "  " + info.images[i].name + "  " +
                     info.images[i].label.name);
    terminal.print(tr("    step  epoch  ALS      alpha    image 0"));
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
    style.image.style = styleOf(style.image.style, scene.plain);
    return style;
  }

  void drawStrip(RecordedEvolution& evolution, const std::stop_token& stop, Terminal& terminal) {
    const EvolutionScene drawn = chosenScene(evolution, m_choice, kStripSteps, stop);
    const Image strip =
        evolutionStrip(drawn, styleFor(drawn), commonScales(drawn, styleFor(drawn)));
    write(m_strip, valueOrThrow(encodePng(strip, {{"Software", "Headlight"}})), terminal);
  }

  void drawFilm(RecordedEvolution& evolution, const std::stop_token& stop, Terminal& terminal) {
    const EvolutionScene drawn = chosenScene(evolution, m_choice, evolution.moments().size(), stop);
    const EvolutionStyle style = styleFor(drawn);
    const std::vector<DrawnMap> scales = commonScales(drawn, style);
    const auto film = valueOrThrow(FilmFile::create(m_film, m_seconds));
    for (std::size_t m = 0; m < drawn.moments.size(); ++m) {
      requireGoingOn(stop);
      terminal.setStatus(tr("frame ") + std::to_string(m + 1) + " of " +
                         std::to_string(drawn.moments.size()));
      valueOrThrow(film->add(evolutionFrame(drawn, m, style, scales)));
    }
    terminal.setStatus("");
    const int frames = valueOrThrow(film->finish());
    m_files.push_back(m_film);
    if (!terminal.json())
      terminal.print(m_film + ": " + std::to_string(frames) + tr(" frames, ") + film->coding());
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
