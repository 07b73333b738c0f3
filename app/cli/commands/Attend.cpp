// SPDX-License-Identifier: GPL-3.0-or-later

// attend: where every head looks, as images and as arrays.

#include <filesystem>
#include <functional>
#include <set>

#include "app/cli/figures/AttendDecoder.h"
#include "app/cli/figures/AttendExplanations.h"
#include "app/cli/figures/AttendImages.h"
#include "app/cli/figures/AttendMechanismPlots.h"
#include "app/cli/figures/ExplanationHeatmaps.h"
#include "app/cli/options/AttendOptions.h"
#include "app/cli/options/Inputs.h"
#include "app/cli/options/KnownBoxes.h"
#include "app/cli/options/MapInputs.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/base/files/OutputTarget.h"
#include "core/workbench/session/Images.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

class AttendCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "attend", tr("Export attention maps, rollout and explanations as images and arrays"));
    m_options.declare(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    check();
    prepareOutput("--output", m_options.output, terminal);
    m_session =
        m_maps ? openMaps(m_maps->file, m_options.model, terminal) : m_options.model.open(terminal);
    requireAttention(m_session->info());
    m_masks = m_options.model.masksFor(m_session->info());
    m_query = isDecoder() ? Query{-1, m_options.queryText}
                          : queryFromText(m_options.queryText, m_session->info().grid);
    choose();
    checkCell();
    const int exitCode = isDecoder()                ? lookAtDecoder(terminal, stop)
                         : isExplanation()          ? explainDifferently(terminal, stop)
                         : m_own                    ? lookAtOwn(terminal, stop)
                         : m_options.tensor.empty() ? attendImages(terminal, stop)
                                                    : attendTensor(stop);
    if (!m_options.output.empty()) {
      if (m_shown) m_more = learnedArrays(*m_shown, m_query, m_session->info().grid);
      valueOrThrow(writeRawResults(m_options.output, m_inferences, m_rollouts, m_more));
      if (!terminal.json())
        terminal.print(m_options.output == kStandardOutput ? "standard output" : m_options.output);
    }
    const ModelInfo& info = m_session->info();
    const SoftAlphas alphas = valueOrThrow(m_session->softAlphas(m_masks));
    if (!terminal.json()) printAlphas(alphas, "", terminal);
    if (terminal.json())
      terminal.printJson(Json{
          {"model", modelJson(info, m_masks)},
          {"query", m_query.text},
          {"show", m_options.show},
          {"map", m_own     ? m_own->meaning
                  : m_shown ? m_shown->maps.meaning
                            : info.mapMeaning},
          {"alpha", alphas},  // NaN (not soft) becomes null
          {"output", m_options.output.empty() ? Json(nullptr) : Json(m_options.output)},
          {"folder", m_options.folder.empty() ? Json(nullptr) : Json(wholePath(m_options.folder))},
          {"faithfulness", m_summary.empty() ? Json(nullptr) : m_summary},
          {"results", m_results}});
    return exitCode;
  }

 private:
  /// What can be said before the model is loaded.
  void check() {
    if (m_options.images.empty() == m_options.tensor.empty() && !(nothingGiven() && mayBeOwn()))
      refuseImages();
    if (!m_options.tensor.empty() && m_options.output.empty())
      refuseUsage("--tensor", tr("needs --output FILE: there is no image to draw on"));
    if (!m_options.tensor.empty() && !m_options.folder.empty())
      refuseUsage("--images", tr("cannot be drawn from a tensor; give the image file"));
    if (m_options.folder.empty() && m_options.output.empty()) m_options.folder = "attention";
    m_options.apply();
    if (const ExplanationInfo* method = explanationFromName(m_options.show))
      m_options.show = method->name;
    requireOwnFormat(m_options.format);
    m_maps = mapInput(m_options.images, m_options.model, "attend");
    if (isDecoder()) checkDecoder();
    if (m_options.decoderLayer && !isDecoder())
      refuseUsage("--decoder-layer", tr("needs --show decoder"));
    if (m_maps && (isExplanation() || isDecoder()))
      throw Failure(needsModel(m_maps->file.string()));
    if (m_maps) return;
    m_options.model.require();
    m_images = expandImages(m_options.images);
  }

  bool isExplanation() const {
    return explanationFromName(m_options.show) || m_options.show == kFaithfulness;
  }
  bool isDecoder() const { return m_options.show == kDecoder; }
  void checkDecoder() const {
    if (m_options.queryText.empty())
      refuseUsage("--show", tr("decoder needs --query: a query of the decoder, counted from 0"));
    if (!m_options.tensor.empty())
      refuseUsage("--tensor", tr("has no decoder maps; give the image file"));
    if (m_options.layer || m_options.head)
      refuseUsage(m_options.layer ? "--layer" : "--head",
                  tr("does nothing with --show decoder; use --decoder-layer"));
  }
  bool nothingGiven() const { return m_options.images.empty() && m_options.tensor.empty(); }
  /// Before the model is there to tell.
  bool mayBeOwn() const {
    return m_options.show != "attention" && !isExplanation() && !isDecoder();
  }
  [[noreturn]] static void refuseImages() {
    refuseUsage("attend", tr("needs either images or --tensor FILE"));
  }

  /// An outline belongs to attention: elsewhere the flag would do nothing.
  void refuseOutline() const {
    if (m_options.style.maskOutline)
      refuseUsage("--mask-outline", tr("needs --show attention: masks act on attention"));
  }

  void choose() {
    if (m_options.show != "attention") refuseOutline();
    openTruth();
    if (isDecoder()) refuseClassFlags();
    if (isExplanation()) checkBox();
    if (isExplanation() || isDecoder()) {
      m_options.style.style = styleOf(m_options.style.style, /*learned=*/false);
      return;
    }
    refuseClassFlags();
    chooseOwn();
    if (m_own) return;
    if (nothingGiven()) refuseImages();
    if (!m_options.format.empty())
      refuseUsage("--format", tr("needs --show with a mechanism plot"));
    m_options.style.style = styleOf(m_options.style.style, /*learned=*/m_shown != nullptr);
  }

  /// True boxes are compared with the box of a marked object.
  void openTruth() {
    if (m_options.truth.empty()) return;
    const ExplanationInfo* method = explanationFromName(m_options.show);
    if (!method || !method->marksObject)
      refuseUsage("--truth", tr("needs --show with a method that marks an object: ") +
                                 explanationNames(std::mem_fn(&ExplanationInfo::marksObject)));
    m_truths.open(m_options.truth);
  }

  /// Those of explanations.
  void refuseClassFlags() const {
    if (!m_options.classText.empty())
      refuseUsage("--class",
                  tr("needs --show with an explanation of a class: ") + classHeatmapNames());
    if (m_options.foreground)
      refuseUsage("--foreground",
                  tr("needs --show ") + explanationOfKind(ExplanationKind::Colors).name);
    refuseBox();
  }
  void refuseBox() const {
    if (m_options.box)
      refuseUsage("--box",
                  tr("needs --show with an explanation of a class: ") + classHeatmapNames());
  }
  /// A box is explained by what explains a class, and only where cells find boxes.
  void checkBox() const {
    if (!m_options.box) return;
    const ExplanationInfo* method = explanationFromName(m_options.show);
    if (!method || !method->isClassHeatmap()) refuseBox();
    if (*m_options.box < 0) refuseUsage("--box", tr("must be at least 0"));
    if (!detectsInCells(m_session->info().experiment.model))
      refuseUsage("--box", tr("needs a detector that finds boxes in cells, such as LCNet-ViT"));
  }

  /// What the mechanism offers by that name. Throws Failure where it offers nothing by it.
  void chooseOwn() {
    if (mayBeOwn()) m_mechanismPlots = mechanismPlots(*m_session);
    m_own = mechanismPlotFromName(m_options.show, m_mechanismPlots);
    if (m_own && m_own->ofToken && m_options.queryText.empty())
      m_query = middlePatch(m_session->info().grid);  // the class token has none
    if (m_own) return;
    m_learned = valueOrThrow(m_session->learnedMaps());
    m_shown = learnedFromName(m_options.show, m_learned, mechanismPlotNames(m_mechanismPlots));
  }

  void checkCell() const {
    const auto& heads = m_session->info().heads;
    const int layers = static_cast<int>(heads.size());
    if (m_options.layer && (*m_options.layer < 0 || *m_options.layer >= layers))
      refuseUsage("--layer", tr("must be from 0 to ") + std::to_string(layers - 1) +
                                 tr(": the model has ") + std::to_string(layers) + tr(" layers"));
    const int most =
        m_options.layer ? heads[*m_options.layer] : *std::max_element(heads.begin(), heads.end());
    if (m_options.head && (*m_options.head < 0 || *m_options.head >= most))
      refuseUsage("--head", tr("must be from 0 to ") + std::to_string(most - 1) +
                                tr(": there are ") + std::to_string(most) + tr(" heads"));
  }

  ExplanationRequest explanationJob() {
    ExplanationRequest job{*m_session, m_masks, m_options.show, m_query};
    if (!m_options.classText.empty())
      job.options.classIndex = valueOrThrow(classFromText(m_options.classText, m_session->info()));
    job.options.layer = m_options.layer.value_or(-1);
    job.box = m_options.box.value_or(-1);
    job.foreground = m_options.foreground;
    job.rollout = m_options.rollout;
    job.style = m_options.style;
    job.folder = m_options.folder;
    job.truths = m_options.truth.empty() ? nullptr : &m_truths;
    job.keepArrays = !m_options.output.empty();
    job.images = std::max<std::int64_t>(1, static_cast<std::int64_t>(m_images.size()));
    return job;
  }

  int explainDifferently(Terminal& terminal, std::stop_token stop) {
    AttendExplanations explanations(explanationJob(), terminal, stop);
    int exitCode = kExitOk;
    if (!m_options.tensor.empty()) {
      const RawImages images = valueOrThrow(readRawImages(m_options.tensor));
      for (std::int64_t i = 0; i < images.count; ++i)
        explanations.addNumbers(m_options.tensor + "[" + std::to_string(i) + "]",
                                rawImage(images, i));
    } else {
      if (!m_options.folder.empty()) {
        makeOutputFolder(m_options.folder);
        terminal.note(tr("images go to ") + wholePath(m_options.folder));
      }
      exitCode = forEachImage(
          m_images, !m_options.output.empty(), terminal,
          [&](const fs::path& path, const Image& image) { explanations.addImage(path, image); });
    }
    explanations.finish();
    m_results = explanations.results();
    m_summary = explanations.summary();
    m_inferences = explanations.inferences();
    m_more = explanations.arrays();
    return exitCode;
  }

  int lookAtDecoder(Terminal& terminal, std::stop_token stop) {
    AttendDecoder decoder({*m_session, m_masks, m_options.queryText, m_options.decoderLayer,
                           m_options.style, m_options.folder, !m_options.output.empty()},
                          terminal, stop);
    if (!m_options.folder.empty()) {
      makeOutputFolder(m_options.folder);
      terminal.note(tr("images go to ") + wholePath(m_options.folder));
    }
    const int exitCode = forEachImage(
        m_images, !m_options.output.empty(), terminal,
        [&](const fs::path& path, const Image& image) { decoder.addImage(path, image); });
    m_results = decoder.results();
    m_inferences = decoder.inferences();
    m_more = decoder.arrays();
    return exitCode;
  }

  int lookAtOwn(Terminal& terminal, std::stop_token stop) {
    const MechanismPlotStyle style =
        makePlotStyle(m_options.style, m_options.layer.value_or(-1), m_options.head.value_or(-1));
    AttendMechanismPlots own({*m_session, m_masks, *m_own, m_query.token, style, m_options.folder,
                              m_options.format, !m_options.output.empty()},
                             terminal, stop);
    const int exitCode = own.run(m_images, m_options.tensor);
    m_results = own.results();
    m_inferences = own.inferences();
    m_more = own.arrays();
    return exitCode;
  }

  int attendTensor(std::stop_token stop) {
    const RawImages images = valueOrThrow(readRawImages(m_options.tensor));
    for (auto& inference : valueOrThrow(inferRaw(*m_session, images, m_masks, true, stop))) {
      requireNumbers(inference.maps, m_options.tensor);
      m_rollouts.push_back(valueOrThrow(rollout(inference.maps, m_options.rollout)));
      m_results.push_back(
          {{"image", m_options.tensor + "[" + std::to_string(m_inferences.size()) + "]"},
           {"files", Json::array()}});
      m_inferences.push_back(std::move(inference));
    }
    return kExitOk;
  }

  int attendImages(Terminal& terminal, std::stop_token stop) {
    if (!m_options.folder.empty()) {
      makeOutputFolder(m_options.folder);
      terminal.note(tr("images go to ") + wholePath(m_options.folder));
    }
    const auto one = [&](const fs::path& path, const Image& image) {
      auto inference = m_session->infer(image, m_masks, {}, stop);
      if (stop.stop_requested())
        throw Failure({ErrorCode::Canceled, tr("stopped; images that were written stay"), ""});
      if (inference) requireNumbers(inference->maps, path.string());
      if (inference) showOriginal(*inference, image);
      attend(path, valueOrThrow(std::move(inference)), terminal);
    };
    if (!m_maps) return forEachImage(m_images, !m_options.output.empty(), terminal, one);
    forEachMapImage(*m_maps, *m_session, one);
    return kExitOk;
  }

  /// Maps of no numbers would be drawn as if they said something.
  void requireNumbers(const AttentionMaps& maps, const std::string& what) const {
    if (holdsNaN(maps)) throw Failure(noNumbers(m_session->info(), what));
  }

  /// In place of what the model saw the same region in the original's pixels, as on figure pages.
  void showOriginal(InferenceResult& inference, const Image& image) const {
    const ModelInfo& info = m_session->info();
    if (!info.isPrecomputed)
      inference.view = evaluationPixels(image, makePreprocessing(info.experiment.model));
  }

  void attend(const fs::path& path, InferenceResult inference, Terminal& terminal) {
    std::vector<float> rolled = valueOrThrow(rollout(inference.maps, m_options.rollout));
    Json files = Json::array();
    if (!m_options.folder.empty()) files = draw(path, inference, rolled, terminal);
    m_results.push_back({{"image", path.string()},
                         {"files", files},
                         {"top", topJson(inference.top)},
                         {"locality", inference.locality}});
    if (m_options.output.empty()) return;
    RawInferenceResult& raw = m_inferences.emplace_back();
    raw.logits = std::move(inference.logits);
    raw.maps = std::move(inference.maps);
    m_rollouts.push_back(std::move(rolled));
  }

  /// Writes the images of one image and returns their paths.
  Json draw(const fs::path& path, const InferenceResult& inference,
            const std::vector<float>& rolled, Terminal& terminal) {
    const std::string name = path.filename().string();
    const std::string stem = unusedStem(m_stems, imageFile(path));
    const Scene scene{name, inference, m_masks, m_session->info(), m_shown};
    const std::string shown = m_shown ? "-" + m_options.show : "";
    Json files = Json::array();
    const auto save = [&](const Image& image, const std::string& suffix) {
      const fs::path file = fs::path(m_options.folder) / (stem + suffix + ".png");
      const std::string png = valueOrThrow(encodePng(image, {{"Software", "Headlight"}}));
      valueOrThrow(writeFileAtomically(file, png));
      files.push_back(file.string());
      if (!terminal.json()) terminal.print(file.string());
    };
    save(gridImage(scene, m_query, m_options.style), shown + "-grid");
    if (!m_shown) save(rolloutImage(scene, rolled, rolloutText(), m_options.style), "-rollout");
    if (!m_options.layer && !m_options.head) return files;
    for (int l = 0; l < static_cast<int>(inference.maps.layers.size()); ++l)
      for (int h = 0; h < inference.maps.layers[l].heads; ++h)
        if (l == m_options.layer.value_or(l) && h == m_options.head.value_or(h))
          if (const auto image = headImage(scene, l, h, m_query, m_options.style))
            save(*image, shown + "-layer" + std::to_string(l) + "-head" + std::to_string(h));
    return files;
  }

  std::string rolloutText() const {
    char discard[48];
    std::snprintf(discard, sizeof discard, tr(", lowest %.3g dropped"),
                  m_options.rollout.discardRatio);
    return tr("heads fused by ") + headFusionName(m_options.rollout.fusion) + discard;
  }

  AttendOptions m_options;
  KnownBoxes m_truths;

  std::optional<MapInput> m_maps;  ///< in place of images and a model
  std::vector<fs::path> m_images;
  std::unique_ptr<InferenceSession> m_session;
  MaskScheme m_masks;
  Query m_query;
  std::vector<LearnedMap> m_learned;
  const LearnedMap* m_shown = nullptr;  ///< in m_learned; null: attention
  std::vector<MechanismPlotInfo> m_mechanismPlots;
  const MechanismPlotInfo* m_own = nullptr;  ///< in m_mechanismPlots; null: something else
  std::set<std::string> m_stems;
  Json m_results = Json::array(), m_summary = Json::array();
  std::vector<RawInferenceResult> m_inferences;
  std::vector<std::vector<float>> m_rollouts;
  std::vector<RawArray> m_more;
};

}  // namespace

std::unique_ptr<Command> makeAttendCommand() {
  return std::make_unique<AttendCommand>();
}

}  // namespace headlight::cli
