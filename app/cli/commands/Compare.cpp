// SPDX-License-Identifier: GPL-3.0-or-later

// compare: two models, schemes or images side by side.

#include <cstdio>
#include <filesystem>

#include "app/cli/figures/AttendImages.h"
#include "app/cli/figures/CompareImage.h"
#include "app/cli/figures/ExplanationHeatmaps.h"
#include "app/cli/options/Inputs.h"
#include "app/cli/options/MapInputs.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/options/OldFlags.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/options/StyleOptions.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/workbench/loading/Input.h"
#include "core/workbench/loading/MapFile.h"
#include "core/workbench/loading/WeightsName.h"
#include "core/workbench/session/Prediction.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

/// One side while the command works.
struct Side {
  std::string image;
  std::optional<MapInput> maps;  ///< that the image names
  InferenceSession* session = nullptr;
  MaskScheme masks;
  InferenceResult inference;
  ComparedScene scene;
};

std::string titleOf(const Side& side) {
  const ModelInfo& info = side.session->info();
  if (info.isPrecomputed) return fs::path(side.image).filename().string();
  return makeModelTitle(info) + tr(", masks ") + schemeTitle(side.masks) + ", " +
         fs::path(side.image).filename().string();
}

class CompareCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "compare",
        tr("Compare two models, mask schemes or images side by side, with their difference"));
    command
        ->add_option(
            "image", m_left.image,
            tr("Image for both sides; or one image of a map file, FILE[2], which needs no model"))
        ->type_name("FILE")
        ->required();
    declareOther(*command);
    declareMaps(*command);
    command
        ->add_option("-p,--images", m_folder,
                     tr("Write compare.png (left, right, difference) into this folder"))
        ->type_name("FOLDER");
    acceptOldFlag(*command, "--pictures", m_folder);
    declareJson(*command, m_json);
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
    const char* group = tr("The right side, where it differs");
    const auto add = [&](const char* flag, auto& target, const char* help, const char* type) {
      command.add_option(flag, target, help)->type_name(type)->group(group);
    };
    add("--other-image", m_right.image, tr("Image of the right side, or one of a map file"),
        "FILE");
    acceptOldFlag(command, "--other-picture", m_right.image);
    add("--other-model", m_other.source.model, tr("Model of the right side, as --model"),
        "NAME|FILE");
    add("--other-weights", m_other.source.weights, tr("Weights of the right side, as --weights"),
        "FILE");
    add("--other-take", m_other.source.take,
        tr("Which model of the right side's weights, as --take; FILE[NAME] says the same"), "NAME");
    add("--other-masks", m_other.masks,
        tr("Masks of the right side, as --masks; default: those of the left side for the same "
           "model, else the other model's own"),
        "NAME|FILE");
    add("--other-layer", m_otherLayer,
        tr("Layer of the right side; default: the same, or its last"), "INT");
    add("--other-head", m_otherHead, tr("Head of the right side; default: the same, or its last"),
        "INT");
    add("--other-query", m_otherQuery,
        tr("Query token of the right side; default: the token at the same position"), "TEXT");
  }

  void declareMaps(CLI::App& command) {
    const char* group = "Maps";
    command
        .add_option("--show", m_show,
                    "attention; " + classHeatmapNames() + tr(" for a class; or ") +
                        explanationNames(std::mem_fn(&ExplanationInfo::ofToken)) +
                        tr(" with --query, as in attend; default attention"))
        ->type_name("TEXT")
        ->group(group);
    command
        .add_option("--class", m_class,
                    tr("Class index or name, for explanations of a class; default: the class that "
                       "each side predicts"))
        ->type_name("TEXT")
        ->group(group);
    command
        .add_option("--layer", m_layer,
                    tr("Layer whose maps are compared, counted from 0; default: the last"))
        ->type_name("INT")
        ->group(group);
    command.add_option("--head", m_head, tr("Head, counted from 0; default: the mean of heads"))
        ->type_name("INT")
        ->group(group);
    command
        .add_option(
            "--query", m_query,
            tr("Query token, as in attend: class, distillation, a patch index, or row,column"))
        ->type_name("TEXT")
        ->group(group);
    m_styleOptions.declare(command, m_style, group);
  }

  /// What can be said before a model is loaded.
  void check() {
    m_left.maps = mapInput({m_left.image}, m_model, "compare");
    if (!m_left.maps) m_model.require();
    m_styleOptions.apply(m_style);
    if (m_show != "attention") checkExplanation();
    if (!m_class.empty() && !(m_method && m_method->ofClass))
      refuseUsage("--class",
                  tr("needs --show with an explanation of a class: ") + classHeatmapNames());
    if (!m_right.image.empty()) m_right.maps = mapInput(m_right.image);
    if (m_right.image.empty()) m_right.maps = m_left.maps;
    if (m_right.image.empty()) m_right.image = m_left.image;
    const bool otherPlace = m_otherLayer || m_otherHead || !m_otherQuery.empty();
    if (!hasOtherModel() && m_other.masks.empty() && m_right.image == m_left.image && !otherPlace)
      refuseUsage("compare",
                  tr("has nothing to compare with; give --other-model, --other-weights, "
                     "--other-masks, --other-image, --other-layer, --other-head or --other-query"));
  }

  void checkExplanation() {
    m_method = &heatmapFromName(m_show);
    if (m_left.maps) throw Failure(needsModel(m_left.maps->file.string()));
    if (m_head || m_otherHead)
      refuseUsage(m_head ? "--head" : "--other-head",
                  tr("selects a head of attention maps; leave out --show"));
    if ((m_layer || m_otherLayer) && !m_method->ofLayer)
      refuseUsage(m_layer ? "--layer" : "--other-layer",
                  tr("does not go with ") + m_show + tr(", which covers all layers"));
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
    to.transparency = from.transparency;
  }

  void place() {
    const ModelInfo &left = m_left.session->info(), &right = m_right.session->info();
    requireAttention(left);
    requireAttention(right);
    const int last = static_cast<int>(left.heads.size()) - 1;
    const int layer = within("--layer", m_layer.value_or(last), 0, last);
    const int head = within("--head", m_head.value_or(-1), m_head ? 0 : -1,
                            left.heads[static_cast<std::size_t>(layer)] - 1);
    const int token = queryFromText(m_query, left.grid).token;
    m_left.scene = {titleOf(m_left), &m_left.inference, &left, layer, head, token};

    const int otherLast = static_cast<int>(right.heads.size()) - 1;
    const int otherLayer =
        within("--other-layer", m_otherLayer.value_or(std::min(layer, otherLast)), 0, otherLast);
    const int most = right.heads[static_cast<std::size_t>(otherLayer)] - 1;
    const int otherHead = within("--other-head", m_otherHead.value_or(std::min(head, most)),
                                 m_otherHead ? 0 : -1, most);
    const int otherToken = m_otherQuery.empty() ? correspondingToken(token, left.grid, right.grid)
                                                : queryFromText(m_otherQuery, right.grid).token;
    m_right.scene = {titleOf(m_right), &m_right.inference, &right,
                     otherLayer,       otherHead,          otherToken};
  }

  static int within(const char* flag, int value, int least, int most) {
    if (value < least || value > most)
      refuseUsage(flag, tr("must be from 0 to ") + std::to_string(most));
    return value;
  }

  /// For maps, also for a model beside them that runs on their image.
  static Image imageOf(const Side& side) {
    if (!side.maps) return valueOrThrow(readImageAt(side.image));
    if (side.session->info().isPrecomputed) return mapImage(*side.maps, *side.session);
    return mapImage(*side.maps);
  }

  void lookAt(Side& side, std::optional<int> layer, std::stop_token stop) const {
    const Image image = imageOf(side);
    InferenceOptions options;
    options.maps = m_method == nullptr;
    side.inference = valueOrThrow(side.session->infer(image, side.masks, options, stop));
    if (!m_method) return;
    const ModelInfo& info = side.session->info();
    ExplanationOptions method;
    if (!m_class.empty()) method.classIndex = valueOrThrow(classFromText(m_class, info));
    method.layer = layer.value_or(-1);
    const RawImages raw = rawImage(info, image);
    side.scene.heatmap =
        explanationHeatmap({*side.session,
                            raw,
                            side.masks,
                            {side.scene.token, tokenText(side.scene.token, info.grid)}},
                           *m_method, method, stop);
  }

  void draw(const MapDifference* difference) {
    if (m_folder.empty()) return;
    makeOutputFolder(m_folder);
    m_file = fs::path(m_folder) / "compare.png";
    const Image image = comparisonImage(m_left.scene, m_right.scene, difference, m_style);
    valueOrThrow(
        writeFileAtomically(m_file, valueOrThrow(encodePng(image, {{"Software", "Headlight"}}))));
  }

  void print(const Result<MapDifference>& difference, Terminal& terminal) const {
    terminal.print(tr("left   ") + m_left.scene.title);
    terminal.print(tr("right  ") + m_right.scene.title);
    if (sameClasses(*m_left.scene.model, *m_right.scene.model)) {
      printRows(terminal);
    } else {
      terminal.print(tr("the classes differ, so predictions cannot be compared"));
      printTop(tr("left "), m_left.inference, terminal);
      printTop("right", m_right.inference, terminal);
    }
    terminal.print(tr("left   ") + m_left.scene.place());
    terminal.print(tr("right  ") + m_right.scene.place());
    terminal.print(tr("right - left: ") + (difference
                                               ? differenceText(*difference, m_left.scene.grid())
                                               : difference.error().text()));
    if (!m_file.empty()) terminal.print(m_file.string());
  }

  void printRows(Terminal& terminal) const {
    terminal.print("    left    right   change  rank");
    for (const PredictionRow& row : predictionRows(m_right.inference, &m_left.inference)) {
      char text[80];
      std::snprintf(text, sizeof text, tr("%6.1f %% %6.1f %%  %+6.1f  %d to %d  "),
                    100 * row.probabilityBefore, 100 * row.probability,
                    100 * (row.probability - row.probabilityBefore), row.rankBefore, row.rank);
      terminal.print(text + row.name);
    }
  }

  static void printTop(const char* side, const InferenceResult& inference, Terminal& terminal) {
    for (const auto& score : inference.top) {
      char share[40];
      std::snprintf(share, sizeof share, "%s  %6.1f %%  ", side, 100 * score.probability);
      terminal.print(share + score.name);
    }
  }

  static Json sideJson(const Side& side) {
    Json json{{"model", modelJson(side.session->info(), side.masks)},
              {"image", side.image},
              {"layer", side.scene.layer},
              {"head", side.scene.head < 0 ? Json("mean") : Json(side.scene.head)},
              {"query", tokenText(side.scene.token, side.session->info().grid)},
              {"map", side.scene.meaning()},
              {"top", topJson(side.inference.top)}};
    if (const auto& heatmap = side.scene.heatmap) {
      json["layer"] = heatmap->layer < 0 ? Json(nullptr) : Json(heatmap->layer);
      json["head"] = nullptr;
      json["show"] = heatmap->method;
      json["heat"] = heatmapJson(*heatmap);
    }
    return json;
  }

  Json predictionJson() const {
    if (!sameClasses(*m_left.scene.model, *m_right.scene.model)) return nullptr;
    Json rows = Json::array();
    for (const PredictionRow& row : predictionRows(m_right.inference, &m_left.inference))
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
  const ExplanationInfo* m_method = nullptr;  ///< null: attention
  fs::path m_file;
  bool m_json = false;
  ImageStyle m_style;
  StyleOptions m_styleOptions;
  std::unique_ptr<InferenceSession> m_session, m_otherSession;
};

}  // namespace

std::unique_ptr<Command> makeCompareCommand() {
  return std::make_unique<CompareCommand>();
}

}  // namespace headlight::cli
