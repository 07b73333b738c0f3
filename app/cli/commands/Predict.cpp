// SPDX-License-Identifier: GPL-3.0-or-later

// predict: classes of images, the boxes that a detector finds, the segments of a segmenter, or the
// logits of a raw tensor.

#include <cmath>
#include <cstdio>
#include <optional>

#include "app/cli/figures/ObjectImages.h"
#include "app/cli/figures/SegmentImages.h"
#include "app/cli/options/Inputs.h"
#include "app/cli/options/KnownBoxes.h"
#include "app/cli/options/MapInputs.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/reports/ObjectText.h"
#include "app/cli/reports/SegmentText.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Translation.h"
#include "core/workbench/session/DatasetImages.h"
#include "core/workbench/session/RawTensors.h"
#include "core/workbench/session/TrueSegments.h"

namespace headlight::cli {
namespace {

/// Images that go through the model together: more is no faster on a few cores.
constexpr std::int64_t kBatch = 16;

class PredictCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command =
        app.add_subcommand("predict", tr("Show a model's class predictions for images"));
    command
        ->add_option("images", m_images,
                     tr("Images or image folders; or, without a model, a map file with logits"))
        ->type_name("FILE");
    command
        ->add_option("--tensor", m_tensor,
                     tr("Instead of images: a safetensors file with `input` [B,3,H,W], normalized"))
        ->type_name("FILE");
    command
        ->add_option(
            "-o,--output", m_output,
            tr("Also write `logits` [B, classes], or without a classifier `features` [B, D] (of a "
               "detector also `object_logits` and `object_boxes`, of a segmenter `segment_logits` "
               "and `segment_masks`), to this safetensors file; - for standard output"))
        ->type_name("FILE");
    command->add_option("--top", m_top, tr("Number of classes to show; default 5"))
        ->type_name("INT")
        ->check(CLI::Range(1, 100000).description(""));
    command
        ->add_option("--threshold", m_threshold,
                     tr("List a detector's (YOLOS, LCNet-ViT) objects that score at least this "
                        "much, 0 to 1; "
                        "default 0.5"))
        ->type_name("NUM")
        ->check(CLI::Range(0.0, 1.0).description(""));
    command
        ->add_option("--boxes", m_boxes,
                     tr("Draw the objects that a detector lists on each image, with names and "
                        "scores, and write the images as PNG files to this folder"))
        ->type_name("FOLDER");
    command
        ->add_option(
            "--data", m_data,
            tr("With --boxes: also draw the true boxes, dashed, of images that are in this "
               "dataset: COCO's folder or annotations, or Pascal VOC's folder. With --segments: "
               "also the borders of the true segments, and how many pixels agree: a folder of "
               "ADE20K, Cityscapes or of label images"))
        ->type_name("PATH");
    command
        ->add_option("--segments", m_segments,
                     tr("For each image, write to this folder what a segmenter finds: the class "
                        "of every pixel (PNG with a palette), its colors on the image with a "
                        "legend (PNG), and classes, shares and queries (JSON)"))
        ->type_name("FOLDER");
    declareJson(*command, m_json);
    m_model.declare(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    if (m_images.empty() == m_tensor.empty())
      refuseUsage("predict", tr("needs either images or --tensor FILE"));
    prepareOutput("--output", m_output, terminal);
    const auto maps = mapInput(m_images, m_model, "predict");
    checkDrawing("--boxes", m_boxes, maps.has_value());
    checkDrawing("--segments", m_segments, maps.has_value());
    if (!m_data.empty() && m_boxes.empty() && m_segments.empty())
      refuseUsage("--data", tr("draws what is true; it needs --boxes FOLDER or --segments FOLDER"));
    if (!maps) m_model.require();
    const auto images = expandImages(m_images);
    m_session = maps ? openMaps(maps->file, m_model, terminal) : m_model.open(terminal);
    m_masks = m_model.masksFor(m_session->info());
    if (!m_boxes.empty()) m_drawn.emplace(m_boxes, m_session->info(), terminal);
    if (!m_segments.empty()) m_colored.emplace(m_segments, m_session->info(), terminal);
    openTruth();
    const int exitCode = maps               ? predictMaps(*maps, terminal, stop)
                         : findsSegments()  ? predictSegments(images, terminal, stop)
                         : m_tensor.empty() ? predictImages(images, terminal, stop)
                                            : predictTensor(terminal, stop);
    if (terminal.json())
      terminal.printJson(
          Json{{"model", modelJson(m_session->info(), m_masks)}, {"results", m_results}});
    if (!m_output.empty()) valueOrThrow(writeRawResults(m_output, m_inferences, {}));
    return exitCode;
  }

 private:
  /// What can be said before the model is loaded of a folder for drawings.
  void checkDrawing(const char* flag, const std::string& folder, bool maps) const {
    if (folder.empty()) return;
    if (!m_tensor.empty())
      refuseUsage(flag, tr("cannot be drawn from a tensor; give the image file"));
    if (maps)
      refuseUsage(flag, flag == std::string("--boxes")
                            ? tr("needs a detector: a file of maps has no boxes")
                            : tr("needs a segmenter: a file of maps has no segments"));
  }

  /// Whether images, at their own sizes, are what the answer is about.
  bool findsSegments() const {
    return m_tensor.empty() && segmentsImages(m_session->info().experiment.model);
  }

  /// What the model that made them made of the images.
  int predictMaps(const MapInput& maps, Terminal& terminal, std::stop_token stop) {
    if (m_session->info().experiment.model.classes == 0)
      throw Failure(
          {ErrorCode::InvalidArgument,
           tr("has maps but no logits; give a model, or write `logits` [B, classes] into the file"),
           maps.file.string()});
    forEachMapImage(maps, *m_session, [&](const std::string& name, const Image& image) {
      InferenceResult inference =
          valueOrThrow(m_session->infer(image, m_masks, {false, m_top}, stop));
      report(name, inference.top, terminal);
      if (!m_output.empty()) m_inferences.emplace_back().logits = std::move(inference.logits);
    });
    return kExitOk;
  }

  int predictTensor(Terminal& terminal, std::stop_token stop) {
    const RawImages images = valueOrThrow(readRawImages(m_tensor));
    std::vector<SeenImage> names;
    for (std::int64_t i = 0; i < images.count; ++i)
      names.push_back({m_tensor + "[" + std::to_string(i) + "]", static_cast<int>(images.width),
                       static_cast<int>(images.height)});
    predict(images, names, terminal, stop);
    return kExitOk;
  }

  int predictImages(const std::vector<std::filesystem::path>& images, Terminal& terminal,
                    std::stop_token stop) {
    const Preprocessing preprocessing = makePreprocessing(m_session->info().experiment.model);
    const std::int64_t most = m_drawn ? 1 : kBatch;  // originals may be large
    RawImages batch{0, preprocessing.height, preprocessing.width, {}};
    std::vector<SeenImage> names;
    const auto flush = [&] {
      if (batch.count > 0) predict(batch, names, terminal, stop);
      batch.count = 0;
      batch.values.clear();
      names.clear();
    };
    const int exitCode = forEachImage(
        images, !m_output.empty(), terminal, [&](const auto& path, const Image& image) {
          const std::vector<float> values = preprocess(image, preprocessing);
          batch.values.insert(batch.values.end(), values.begin(), values.end());
          names.push_back({path.string(), image.width, image.height, m_drawn ? image : Image{},
                           m_drawn ? m_truths.of(path.string()) : nullptr});
          if (++batch.count == most) flush();
        });
    flush();
    return exitCode;
  }

  void openTruth() {
    if (m_data.empty()) return;
    if (!m_segments.empty())
      m_trueSegments = valueOrThrow(TrueSegmentIndex::open(m_data));
    else
      m_truths.open(m_data);
  }

  /// In the model's classes; nothing: the image is of no dataset with segments.
  std::optional<ClassImage> trueSegmentsOf(const std::string& path) {
    std::optional<TrueSegments> truth;
    if (const auto address = datasetAddressFrom(path))
      truth = trueSegmentsAt(*address);
    else if (m_trueSegments)
      truth = valueOrThrow(m_trueSegments->of(path));
    if (!truth) return std::nullopt;
    return asModelClasses(*truth, m_session->info().classNames);
  }

  std::optional<TrueSegments> trueSegmentsAt(const DatasetAddress& address) {
    const auto dataset = valueOrThrow(m_datasets.open(address.kind, address.folder));
    if (!dataset->hasSegments()) return std::nullopt;
    Sample sample = valueOrThrow(m_datasets.sample(address));
    return TrueSegments{std::move(sample.segments), dataset->classNames()};
  }

  int predictSegments(const std::vector<std::filesystem::path>& images, Terminal& terminal,
                      std::stop_token stop) {
    return forEachImage(images, !m_output.empty(), terminal,
                        [&](const auto& path, const Image& image) {
                          reportSegments(path.string(), image, terminal, stop);
                        });
  }

  void reportSegments(const std::string& name, const Image& image, Terminal& terminal,
                      std::stop_token stop) {
    constexpr std::int64_t kWholeImage = 0;
    const InferenceResult inference =
        valueOrThrow(m_session->infer(image, m_masks, {false, m_top, kWholeImage}, stop));
    RawInferenceResult numbers;
    numbers.logits = inference.logits;
    if (holdsNaN(numbers)) throw Failure(noNumbers(m_session->info(), name));
    const FoundSegments& found = *inference.segments;
    const auto truth = trueSegmentsOf(name);
    reportFound(name, found, truth ? &*truth : nullptr, terminal);
    if (m_colored)
      reportColored(m_colored->write(name, image, found, truth ? &*truth : nullptr), terminal);
    if (!m_output.empty()) keepNumbers(image, stop);
  }

  void reportFound(const std::string& name, const FoundSegments& found, const ClassImage* truth,
                   Terminal& terminal) {
    if (!terminal.json()) {
      printSegments(name, found, terminal);
      if (truth) printAgreement(*truth, found, terminal);
      return;
    }
    Json result{{"image", name}, {"segments", segmentsJson(found)}};
    if (truth) addTrueSegments(*truth, found, m_session->info().classNames, result);
    m_results.push_back(std::move(result));
  }

  void reportColored(const std::vector<std::string>& files, Terminal& terminal) {
    if (terminal.json()) {
      m_results.back()["files"] = files;
      return;
    }
    for (const std::string& file : files)
      terminal.print(file);
  }

  /// What the queries of one image say, for --output.
  void keepNumbers(const Image& image, std::stop_token stop) {
    const Preprocessing preprocessing = makePreprocessing(m_session->info().experiment.model);
    const ViewSize size = evaluationSize(image.width, image.height, preprocessing);
    const RawImages one{1, size.height, size.width, preprocess(image, preprocessing)};
    auto inferences = valueOrThrow(inferRaw(*m_session, one, m_masks, false, stop));
    m_inferences.push_back(std::move(inferences.front()));
  }

  void predict(const RawImages& images, const std::vector<SeenImage>& names, Terminal& terminal,
               std::stop_token stop) {
    auto inferences = valueOrThrow(inferRaw(*m_session, images, m_masks, false, stop));
    for (std::size_t i = 0; i < inferences.size(); ++i) {
      if (holdsNaN(inferences[i])) throw Failure(noNumbers(m_session->info(), names[i].name));
      if (!inferences[i].objectBoxes.empty())
        reportObjects(names[i], inferences[i], terminal);
      else if (m_session->info().experiment.model.classes == 0)
        reportFeatures(names[i].name, inferences[i].features, terminal);
      else
        report(names[i].name,
               rankClasses(inferences[i].logits, m_session->info().classNames, m_top,
                           hasSigmoidScores(m_session->info().experiment.model)),
               terminal);
      if (!m_output.empty()) m_inferences.push_back(std::move(inferences[i]));
    }
  }

  void reportObjects(const SeenImage& image, const RawInferenceResult& inference,
                     Terminal& terminal) {
    const ModelInfo& info = m_session->info();
    const auto& all = inference.objects;
    const auto shown = objectsAbove(all, m_threshold);
    if (terminal.json())
      m_results.push_back({{"image", image.name},
                           {"threshold", m_threshold},
                           {"objects", objectsJson(shown, image, info.experiment.model)}});
    else
      printObjects(shown, all.size() - shown.size(), m_threshold, image, info.experiment.model,
                   terminal);
    if (image.truth && terminal.json()) m_results.back()["truth"] = truthJson(*image.truth);
    if (m_drawn) reportDrawn(m_drawn->write(image, shown), terminal);
  }

  void reportDrawn(const std::string& file, Terminal& terminal) {
    if (terminal.json())
      m_results.back()["file"] = file;
    else
      terminal.print(file);
  }

  /// Without a classifier there is nothing to predict.
  void reportFeatures(const std::string& name, const std::vector<float>& features,
                      Terminal& terminal) {
    if (terminal.json()) {
      m_results.push_back({{"image", name}, {"features", features}});
      return;
    }
    double squares = 0;
    for (const float value : features)
      squares += double{value} * value;
    char length[32];
    std::snprintf(length, sizeof length, "%.4g", std::sqrt(squares));
    terminal.print(name);
    terminal.print(tr("  no classifier: ") + std::to_string(features.size()) +
                   tr(" features of length ") + length +
                   tr(" (all of them with --output or --json)"));
  }

  void report(const std::string& name, const std::vector<ClassScore>& top, Terminal& terminal) {
    if (terminal.json()) {
      m_results.push_back({{"image", name}, {"top", topJson(top)}});
      return;
    }
    terminal.print(name);
    for (const auto& score : top) {
      char share[32];
      std::snprintf(share, sizeof share, "%6.1f %%  %4d  ", 100 * score.probability, score.index);
      terminal.print(share + score.name);
    }
  }

  std::vector<std::string> m_images;
  std::string m_tensor, m_output, m_boxes, m_segments, m_data;
  int m_top = 5;
  double m_threshold = kDefaultObjectThreshold;
  bool m_json = false;
  ModelOptions m_model;

  std::unique_ptr<InferenceSession> m_session;
  MaskScheme m_masks;
  std::optional<ObjectImages> m_drawn;             ///< with --boxes
  std::optional<SegmentImages> m_colored;          ///< with --segments
  KnownBoxes m_truths;                             ///< with --data
  std::optional<TrueSegmentIndex> m_trueSegments;  ///< likewise, with --segments
  AddressedDatasets m_datasets;
  Json m_results = Json::array();
  std::vector<RawInferenceResult> m_inferences;
};

}  // namespace

std::unique_ptr<Command> makePredictCommand() {
  return std::make_unique<PredictCommand>();
}

}  // namespace headlight::cli
