// SPDX-License-Identifier: GPL-3.0-or-later

// objects: which patches of an image are an object, without labels; over a dataset with true boxes,
// how many of its objects are found.

#include <memory>
#include <optional>
#include <utility>

#include "app/cli/figures/DiscoveryImages.h"
#include "app/cli/options/ImageSources.h"
#include "app/cli/options/Inputs.h"
#include "app/cli/options/KnownBoxes.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/options/TableFlags.h"
#include "app/cli/reports/DiscoveryText.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/session/TrueSegments.h"

namespace headlight::cli {
namespace {

class ObjectsCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "objects", tr("Find an object in images without labels (DINO's mask, LOST, TokenCut), and "
                      "measure its box against true boxes"));
    m_sources.declare(*command, tr("Find an object in these images or image folders; without "
                                   "them, in the validation split of --data, with the share of "
                                   "images whose object is found (CorLoc)"));
    declareFiles(*command);
    m_flags.declare(*command);
    m_sources.declareSources(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    check();
    prepareOutput("--csv", m_csv, terminal);
    m_session = m_sources.open(terminal);
    requireAttention(m_session->info());
    m_masks = m_sources.model.masksFor(m_session->info());
    if (m_sources.images.empty()) return overDataset(terminal, stop);
    return overImages(terminal, stop);
  }

 private:
  void declareFiles(CLI::App& command) {
    command
        .add_option("--truth", m_truth,
                    tr("With --image: the true boxes of these images, COCO's folder or "
                       "annotations, or Pascal VOC's folder; adds their IoU with the box found. "
                       "Or a folder with label images; adds also the IoU of the mask with the "
                       "class that fits best"))
        ->type_name("PATH");
    command
        .add_option("--images", m_folder,
                    tr("With --image: folder for PNG files of the mask and the box over each "
                       "image"))
        ->type_name("FOLDER");
    declareCsv(command, m_csv,
               tr("With --data: write a line for each image as CSV; - for standard output"));
    declareJson(command, m_json);
  }

  /// What can be said before the model is loaded.
  void check() {
    m_sources.check();
    if (m_sources.maps) throw Failure(needsModel(m_sources.maps->file.string()));
    m_flags.read(&m_options);
    requireObjectOptions(m_options);
    const bool data = m_sources.images.empty();
    if (data && !m_folder.empty()) refuseUsage("--images", tr("needs --image"));
    if (data && !m_truth.empty()) refuseUsage("--truth", tr("needs --image"));
    if (!data && !m_csv.empty()) refuseUsage("--csv", tr("needs --data; leave --image out"));
  }

  int overDataset(Terminal& terminal, const std::stop_token& stop) {
    ProgressBar bar(terminal);
    const Localization found = valueOrThrow(
        localizeObjects(*m_session, m_masks, m_options, m_sources.sample(), bar.callback(), stop));
    terminal.setStatus("");
    for (const std::string& problem : found.unread)
      terminal.warning(problem);
    if (!m_csv.empty()) valueOrThrow(writeFileAtomically(m_csv, localizationCsv(found)));
    if (terminal.json())
      finish("localization", localizationJson(found), terminal);
    else
      printLocalization(found, terminal);
    return kExitOk;
  }

  int overImages(Terminal& terminal, const std::stop_token& stop) {
    if (!m_truth.empty()) openTruth();
    if (!m_folder.empty()) m_drawn.emplace(m_folder, m_session->info().experiment.model);
    const int exitCode = forEachImage(
        expandImages(m_sources.images), /*strict=*/false, terminal,
        [&](const auto& path, const Image& image) { add(path.string(), image, terminal, stop); });
    if (terminal.json()) finish("results", m_results, terminal);
    return exitCode;
  }

  /// Boxes, else label images; of another place the error of boxes, which names what to give.
  void openTruth() {
    auto boxes = TrueBoxIndex::open(m_truth);
    if (boxes) return m_truths.use(std::move(*boxes));
    auto segments = TrueSegmentIndex::open(m_truth);
    if (!segments) throw Failure(boxes.error());
    m_segments = std::move(*segments);
  }

  std::optional<TrueSegments> segmentsOf(const std::string& name) {
    if (const auto address = datasetAddressFrom(name)) return segmentsAt(*address);
    return m_segments ? valueOrThrow(m_segments->of(name)) : std::nullopt;
  }

  std::optional<TrueSegments> segmentsAt(const DatasetAddress& address) {
    const auto dataset = valueOrThrow(m_datasets.open(address.kind, address.folder));
    if (!dataset->hasSegments()) return std::nullopt;
    Sample sample = valueOrThrow(m_datasets.sample(address));
    return TrueSegments{std::move(sample.segments), dataset->classNames()};
  }

  void add(const std::string& name, const Image& image, Terminal& terminal,
           const std::stop_token& stop) {
    const ModelInfo& info = m_session->info();
    const auto found = discoverObject(*m_session, rawImage(info, image), m_masks, m_options, stop);
    if (!found && found.error().code == ErrorCode::NotFound) {
      reportNone(name, found.error().message, terminal);
      return;
    }
    const DiscoveredObject object = valueOrThrow(found);
    const ModelConfig& model = info.experiment.model;
    ReportedObject reported{name, object,
                            pixelSides(object.box(), image.width, image.height, model)};
    auto truth = m_truths.of(name);
    if (const auto segments = segmentsOf(name)) {
      truth = std::make_shared<const TrueBoxes>(
          TrueBoxes{boxesOfClasses(segments->segments), segments->classNames});
      reported.mask = bestTrueClass(object.region.mask, object.grid, segments->segments, model);
    }
    reported.truth = truth.get();
    report(reported, image, terminal);
  }

  void reportNone(const std::string& name, const std::string& why, Terminal& terminal) {
    if (terminal.json())
      m_results.push_back({{"image", name}, {"problem", why}});
    else
      terminal.print(name + "  " + why);
  }

  void report(const ReportedObject& object, const Image& image, Terminal& terminal) {
    const std::string caption = discoveryTitle(object.found, m_options);
    Json json = discoveryJson(object);
    json["title"] = caption;
    if (m_drawn)
      json["file"] = m_drawn->write({object.name, image, object.found, object.truth, caption});
    if (!terminal.json()) {
      printDiscovery(object, terminal);
      if (m_drawn) terminal.print(json["file"].get<std::string>());
    }
    m_results.push_back(std::move(json));
  }

  void finish(const char* key, const Json& result, Terminal& terminal) const {
    terminal.printJson(Json{{"model", modelJson(m_session->info(), m_masks)},
                            {"options", writeParameters(objectParameters(), &m_options)},
                            {key, result}});
  }

  std::string m_truth, m_folder, m_csv;
  bool m_json = false;
  ImageSources m_sources;
  TableFlags m_flags{objectParameters(), tr("Objects")};
  ObjectOptions m_options;
  KnownBoxes m_truths;
  std::optional<TrueSegmentIndex> m_segments;
  AddressedDatasets m_datasets;
  std::optional<DiscoveryImages> m_drawn;
  std::unique_ptr<InferenceSession> m_session;
  MaskScheme m_masks;
  Json m_results = Json::array();
};

}  // namespace

std::unique_ptr<Command> makeObjectsCommand() {
  return std::make_unique<ObjectsCommand>();
}

}  // namespace headlight::cli
