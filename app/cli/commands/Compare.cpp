// SPDX-License-Identifier: GPL-3.0-or-later

// compare: two models, schemes or pictures side by side.

#include <cstdio>
#include <filesystem>

#include "app/cli/figures/AttendPictures.h"
#include "app/cli/figures/ComparePicture.h"
#include "app/cli/figures/ExplanationHeatmaps.h"
#include "app/cli/options/Inputs.h"
#include "app/cli/options/MapInputs.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/options/StyleOptions.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/files/Files.h"
#include "core/workbench/loading/MapFile.h"
#include "core/workbench/session/Prediction.h"
#include "core/workbench/session/Video.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

/// One side while the command works.
struct Side {
  std::string picture;
  std::optional<MapInput> maps;  ///< that the picture names
  InferenceSession* session = nullptr;
  MaskScheme masks;
  InferenceResult look;
  ComparedScene scene;
};

std::string titleOf(const Side& side) {
  const ModelInfo& info = side.session->info();
  const std::string file = info.weights.filename().string();
  if (info.isPrecomputed) return fs::path(side.picture).filename().string();
  return (file.empty() ? info.experiment.model.name : file) + ", masks " + schemeTitle(side.masks) +
         ", " + fs::path(side.picture).filename().string();
}

class CompareCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "compare", "Two models, mask schemes or pictures side by side, and their difference");
    command
        ->add_option("picture", m_left.picture,
                     "The left picture, and the right one too; or a picture of a file of maps, "
                     "FILE[2], which needs no model")
        ->type_name("FILE")
        ->required();
    declareOther(*command);
    declareMaps(*command);
    command
        ->add_option("-p,--pictures", m_folder,
                     "Write compare.png (left, right, difference) into this folder")
        ->type_name("FOLDER");
    command->add_flag("--json", m_json, "The result as one JSON object");
    m_model.declare(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    check();
    openBoth(terminal);
    place();
    lookAt(m_left, m_layer, stop);
    lookAt(m_right, m_otherLayer ? m_otherLayer : m_layer, stop);
    const auto left = m_left.scene.seen(), right = m_right.scene.seen();
    const auto difference = mapDifference(left, m_left.scene.grid(), right, m_right.scene.grid());
    draw(difference ? &*difference : nullptr);
    if (terminal.json())
      terminal.printJson(asJson(difference));
    else
      print(difference, terminal);
    return kExitOk;
  }

 private:
  void declareOther(CLI::App& command) {
    const char* group = "The right side, where it is another";
    const auto add = [&](const char* flag, auto& target, const char* help, const char* type) {
      command.add_option(flag, target, help)->type_name(type)->group(group);
    };
    add("--other-picture", m_right.picture, "Another picture, or one of a file of maps", "FILE");
    add("--other-model", m_other.source.model, "Another model, as --model", "NAME|FILE");
    add("--other-weights", m_other.source.weights, "Other weights, as --weights", "FILE");
    add("--other-masks", m_other.masks,
        "Other masks, as --masks; default: those of the left side where it is the same model, else "
        "as the other model says",
        "NAME|FILE");
    add("--other-layer", m_otherLayer, "Another layer; default: the same, or its last", "INT");
    add("--other-head", m_otherHead, "Another head; default: the same, or its last", "INT");
    add("--other-query", m_otherQuery, "Another token; default: that of the same place", "TEXT");
  }

  void declareMaps(CLI::App& command) {
    const char* group = "Maps";
    command
        .add_option("--show", m_show,
                    "attention; relevance, attention-gradient or grad-cam of a class, or "
                    "similarity with --query, as of attend; default attention")
        ->type_name("TEXT")
        ->group(group);
    command
        .add_option("--class", m_class,
                    "With --show of a class: its index or name; default: what each side predicts")
        ->type_name("TEXT")
        ->group(group);
    command.add_option("--layer", m_layer, "Whose maps are compared, from 0; default: the last")
        ->type_name("INT")
        ->group(group);
    command.add_option("--head", m_head, "From 0; default: the mean of heads")
        ->type_name("INT")
        ->group(group);
    command
        .add_option("--query", m_query,
                    "The token that looks, as of attend: class, distillation, a patch index, or "
                    "row,column")
        ->type_name("TEXT")
        ->group(group);
    m_styleOptions.declare(command, m_style, group);
  }

  /// What can be said before a model is loaded.
  void check() {
    m_left.maps = mapInput({m_left.picture}, m_model, "compare");
    if (!m_left.maps) m_model.require();
    m_styleOptions.apply(m_style);
    if (m_show != "attention") checkExplanation();
    if (!m_class.empty() && !(m_way && m_way->ofClass))
      refuseUsage("--class", "needs --show of a class: relevance, grad-cam");
    if (!m_right.picture.empty()) m_right.maps = mapInput(m_right.picture);
    if (m_right.picture.empty()) m_right.maps = m_left.maps;
    if (m_right.picture.empty()) m_right.picture = m_left.picture;
    const bool otherPlace = m_otherLayer || m_otherHead || !m_otherQuery.empty();
    if (!hasOtherModel() && m_other.masks.empty() && m_right.picture == m_left.picture &&
        !otherPlace)
      refuseUsage("compare",
                  "has nothing to compare with; give --other-model, --other-weights, "
                  "--other-masks, --other-picture, --other-layer, --other-head or --other-query");
  }

  void checkExplanation() {
    m_way = &heatFromName(m_show);
    if (m_left.maps) throw Failure(needsModel(m_left.maps->file.string()));
    if (m_head || m_otherHead)
      refuseUsage(m_head ? "--head" : "--other-head", "is of attention; leave out --show");
    if ((m_layer || m_otherLayer) && !m_way->ofLayer)
      refuseUsage(m_layer ? "--layer" : "--other-layer",
                  "does not go with " + m_show + ", which is of all layers");
  }

  bool hasOtherModel() const {
    return !m_other.source.model.empty() || !m_other.source.weights.empty();
  }

  void openBoth(Terminal& terminal) {
    m_session =
        m_left.maps ? openMaps(m_left.maps->file, m_model, terminal) : m_model.open(terminal);
    m_left.session = m_right.session = m_session.get();
    m_left.masks = m_model.masksFor(m_session->info());
    const bool otherMaps = m_right.maps && !hasOtherModel() &&
                           !(m_left.maps && m_left.maps->file == m_right.maps->file);
    if (hasOtherModel() || otherMaps) {
      takeOver(m_other.source, m_model.source);
      m_otherSession =
          otherMaps ? openMaps(m_right.maps->file, m_other, terminal) : m_other.open(terminal);
      m_right.session = m_otherSession.get();
    }
    m_right.masks = hasOtherModel() || otherMaps || !m_other.masks.empty()
                        ? m_other.masksFor(m_right.session->info())
                        : m_left.masks;
  }

  /// How a model is run is the same for both.
  static void takeOver(ModelSource& to, const ModelSource& from) {
    to.device = from.device;
    to.threads = from.threads;
    to.seed = from.seed;
    to.partial = from.partial;
  }

  void place() {
    const ModelInfo &left = m_left.session->info(), &right = m_right.session->info();
    const int last = static_cast<int>(left.heads.size()) - 1;
    const int layer = within("--layer", m_layer.value_or(last), 0, last);
    const int head = within("--head", m_head.value_or(-1), m_head ? 0 : -1,
                            left.heads[static_cast<std::size_t>(layer)] - 1);
    const int token = queryFromText(m_query, left.grid).token;
    m_left.scene = {titleOf(m_left), &m_left.look, &left, layer, head, token};

    const int otherLast = static_cast<int>(right.heads.size()) - 1;
    const int otherLayer =
        within("--other-layer", m_otherLayer.value_or(std::min(layer, otherLast)), 0, otherLast);
    const int most = right.heads[static_cast<std::size_t>(otherLayer)] - 1;
    const int otherHead = within("--other-head", m_otherHead.value_or(std::min(head, most)),
                                 m_otherHead ? 0 : -1, most);
    const int otherToken = m_otherQuery.empty() ? correspondingToken(token, left.grid, right.grid)
                                                : queryFromText(m_otherQuery, right.grid).token;
    m_right.scene = {titleOf(m_right), &m_right.look, &right, otherLayer, otherHead, otherToken};
  }

  static int within(const char* flag, int value, int least, int most) {
    if (value < least || value > most)
      refuseUsage(flag, "must be from 0 to " + std::to_string(most));
    return value;
  }

  /// Of maps also for a model beside them, which looks at their picture.
  static Image imageOf(const Side& side) {
    if (!side.maps) return valueOrThrow(readPictureOrFrame(side.picture));
    if (side.session->info().isPrecomputed) return mapPicture(*side.maps, *side.session);
    return mapPicture(*side.maps);
  }

  void lookAt(Side& side, std::optional<int> layer, std::stop_token stop) const {
    const Image image = imageOf(side);
    InferenceOptions options;
    options.maps = m_way == nullptr;
    side.look = valueOrThrow(side.session->look(image, side.masks, options, stop));
    if (!m_way) return;
    const ModelInfo& info = side.session->info();
    ExplanationOptions way;
    if (!m_class.empty()) way.classIndex = valueOrThrow(classFromText(m_class, info));
    way.layer = layer.value_or(-1);
    const RawImages picture = rawPicture(info, image);
    side.scene.heat =
        explanationHeatmap({*side.session,
                            picture,
                            side.masks,
                            {side.scene.token, tokenText(side.scene.token, info.grid)}},
                           *m_way, way, stop);
  }

  void draw(const MapDifference* difference) {
    if (m_folder.empty()) return;
    makeOutputFolder(m_folder);
    m_file = fs::path(m_folder) / "compare.png";
    const Image picture = comparisonPicture(m_left.scene, m_right.scene, difference, m_style);
    valueOrThrow(
        writeFileAtomically(m_file, valueOrThrow(encodePng(picture, {{"Software", "Headlight"}}))));
  }

  void print(const Result<MapDifference>& difference, Terminal& terminal) const {
    terminal.print("left   " + m_left.scene.title);
    terminal.print("right  " + m_right.scene.title);
    if (sameClasses(*m_left.scene.model, *m_right.scene.model)) {
      printRows(terminal);
    } else {
      terminal.print("other classes: predictions cannot be set against each other");
      printTop("left ", m_left.look, terminal);
      printTop("right", m_right.look, terminal);
    }
    terminal.print("left   " + m_left.scene.place());
    terminal.print("right  " + m_right.scene.place());
    terminal.print("right - left: " + (difference ? differenceText(*difference, m_left.scene.grid())
                                                  : difference.error().text()));
    if (!m_file.empty()) terminal.print(m_file.string());
  }

  void printRows(Terminal& terminal) const {
    terminal.print("    left    right   change  rank");
    for (const PredictionRow& row : predictionRows(m_right.look, &m_left.look)) {
      char text[80];
      std::snprintf(text, sizeof text, "%6.1f %% %6.1f %%  %+6.1f  %d to %d  ",
                    100 * row.probabilityBefore, 100 * row.probability,
                    100 * (row.probability - row.probabilityBefore), row.rankBefore, row.rank);
      terminal.print(text + row.name);
    }
  }

  static void printTop(const char* side, const InferenceResult& look, Terminal& terminal) {
    for (const auto& score : look.top) {
      char share[40];
      std::snprintf(share, sizeof share, "%s  %6.1f %%  ", side, 100 * score.probability);
      terminal.print(share + score.name);
    }
  }

  static Json sideJson(const Side& side) {
    Json json{{"model", modelJson(side.session->info(), side.masks)},
              {"image", side.picture},
              {"layer", side.scene.layer},
              {"head", side.scene.head < 0 ? Json("mean") : Json(side.scene.head)},
              {"query", tokenText(side.scene.token, side.session->info().grid)},
              {"map", side.scene.meaning()},
              {"top", topJson(side.look.top)}};
    if (const auto& heat = side.scene.heat) {
      json["layer"] = heat->layer < 0 ? Json(nullptr) : Json(heat->layer);
      json["head"] = nullptr;
      json["show"] = infoOf(heat->way).name;
      json["heat"] = heatJson(*heat);
    }
    return json;
  }

  Json predictionJson() const {
    if (!sameClasses(*m_left.scene.model, *m_right.scene.model)) return nullptr;
    Json rows = Json::array();
    for (const PredictionRow& row : predictionRows(m_right.look, &m_left.look))
      rows.push_back({{"name", row.name},
                      {"left", row.probabilityBefore},
                      {"right", row.probability},
                      {"left_rank", row.rankBefore},
                      {"right_rank", row.rank}});
    return rows;
  }

  Json asJson(const Result<MapDifference>& difference) const {
    Json json = {{"left", sideJson(m_left)},
                 {"right", sideJson(m_right)},
                 {"prediction", predictionJson()},
                 {"difference", nullptr},
                 {"file", m_file.empty() ? Json(nullptr) : Json(m_file.string())}};
    if (difference)
      json["difference"] = {{"most", difference->most},
                            {"most_at", difference->mostAt},
                            {"mean", difference->mean},
                            {"cosine", difference->cosine},
                            {"values", difference->values}};
    return json;
  }

  Side m_left, m_right;
  ModelOptions m_model, m_other;
  std::optional<int> m_layer, m_head, m_otherLayer, m_otherHead;
  std::string m_query, m_otherQuery, m_folder, m_show = "attention", m_class;
  const ExplanationInfo* m_way = nullptr;  ///< null: attention
  fs::path m_file;
  bool m_json = false;
  PictureStyle m_style;
  StyleOptions m_styleOptions;
  std::unique_ptr<InferenceSession> m_session, m_otherSession;
};

}  // namespace

std::unique_ptr<Command> makeCompareCommand() {
  return std::make_unique<CompareCommand>();
}

}  // namespace headlight::cli
