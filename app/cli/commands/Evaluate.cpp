// SPDX-License-Identifier: GPL-3.0-or-later

// evaluate: loss and accuracy of a model on a validation split, what dropping the branch changes,
// the model's kernels against the plain forms, average precision of boxes, and a segmenter's classes.

#include <cstdio>

#include "app/cli/options/CacheOptions.h"
#include "app/cli/options/DataOptions.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/options/OldFlags.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/reports/BoxEvaluation.h"
#include "app/cli/reports/ClassTable.h"
#include "app/cli/reports/EvaluationText.h"
#include "app/cli/reports/SchemeTable.h"
#include "app/cli/reports/SegmentEvaluation.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/models/Registry.h"
#include "core/workbench/evaluation/Evaluate.h"
#include "core/workbench/evaluation/KernelCheck.h"
#include "core/workbench/segmentation/SegmenterEvaluation.h"
#include "core/workbench/session/Datasets.h"

namespace headlight::cli {
namespace {

class EvaluateCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "evaluate", tr("Measure the loss and accuracy of a model on a validation split, the "
                       "average precision of a detector, or the mIoU of a segmenter"));
    command->add_flag("--drop-branch", m_dropBranch,
                      tr("For models with auxiliary softmax branches (linear_angular): accuracy "
                         "with and without the branches, and whether any nonzeros of them remain"));
    command->add_flag("--check", m_check,
                      tr("Instead: run every image with the fast kernels and with the reference "
                         "forms, and report the largest logit difference"));
    command
        ->add_option("--samples", m_samples,
                     tr("Use at most this many images, spread over the classes; default 0: all"))
        ->type_name("INT")
        ->check(CLI::NonNegativeNumber.description(""));
    command
        ->add_option("--images", m_images,
                     tr("With --check: number of images, from the first; default 0: all"))
        ->type_name("INT")
        ->check(CLI::NonNegativeNumber.description(""));
    command
        ->add_option(
            "--beside", m_beside,
            tr("Also evaluate these masks on the same images and weights, and report the changes "
               "from them to --masks. Takes the same values as --masks, separated by commas"))
        ->delimiter(',')
        ->type_name("NAME|FILE");
    command
        ->add_option("--changed", m_changed,
                     tr("With --beside: list at most this many images whose prediction changes, "
                        "and as many whose loss rises most; default 0"))
        ->type_name("INT")
        ->check(CLI::NonNegativeNumber.description(""));
    command->add_flag("--classes", m_classes.classes, tr("Also print a line for each class"));
    const auto file = [&](const char* flag, std::string& target, const char* help) {
      command->add_option(flag, target, help)->type_name("FILE");
    };
    file("--classes-csv", m_classes.csv,
         tr("Write the accuracy and loss of every class as CSV; - for standard output"));
    file("--confusion", m_classes.confusion,
         tr("Write the confusion matrix (rows: true class, columns: predicted class) as CSV; - for "
            "standard output"));
    command->add_option("--worst", m_worst, tr("List this many images with the greatest loss"))
        ->type_name("INT")
        ->check(CLI::NonNegativeNumber.description(""));
    command
        ->add_option("--precision", m_precision,
                     tr("Precision of matrix products: float32, or bfloat16 or float16 where the "
                        "device supports them, as training.precision; default float32"))
        ->type_name("NAME");
    file("--drop-branch-csv", m_branchReportCsv,
         tr("With --drop-branch: write the changes and the nonzeros of every layer as CSV; - for "
            "standard output"));
    acceptOldFlag(*command, "--castle", m_dropBranch);
    acceptOldFlag(*command, "--castle-csv", m_branchReportCsv);
    m_boxes.declare(*command);
    m_keep.declare(*command);
    declareJson(*command, m_json);
    m_model.declare(*command);
    m_data.declare(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    if (m_boxes.isAsked(m_data)) return evaluateBoxes(terminal, stop);
    m_model.require();
    if (m_check && m_dropBranch)
      refuseUsage("--check", tr("cannot be combined with --drop-branch; give one of them"));
    if (m_images > 0 && !m_check)
      refuseUsage("--images", tr("applies only to --check; use --samples to evaluate a part"));
    if (m_samples > 0 && m_check)
      refuseUsage("--samples", tr("does not apply to --check; use --images to check a part"));
    if (!m_beside.empty() && (m_check || m_dropBranch))
      refuseUsage("--beside", tr("cannot be combined with --check or --drop-branch"));
    if (m_changed > 0 && m_beside.empty())
      refuseUsage("--changed", tr("needs --beside with the masks to compare"));
    if (ofClasses() && (m_check || m_dropBranch || !m_beside.empty()))
      refuseUsage("--classes", tr("and the other class reports cannot be combined with --check, "
                                  "--drop-branch or --beside"));
    if (!m_branchReportCsv.empty() && !m_dropBranch)
      refuseUsage("--drop-branch-csv", tr("needs --drop-branch"));
    m_keep.check();
    if (m_keep.keep && !m_dropBranch && !ofClasses() && m_beside.empty())
      refuseUsage("--keep", tr("needs --drop-branch, --beside, or a report of classes (--classes, "
                               "--classes-csv, --confusion, --worst)"));
    if (m_keep.keep && m_precision != "float32")
      refuseUsage("--keep", tr("stores only float32 results; leave out --precision"));
    prepareOutput("--drop-branch-csv", m_branchReportCsv, terminal);
    prepareOutput("--classes-csv", m_classes.csv, terminal);
    prepareOutput("--confusion", m_classes.confusion, terminal);
    const Experiment experiment = m_data.describe(m_model.source);
    fillTemplate(experiment);
    if (segmentsImages(experiment.model) && asksForMore())
      return evaluateSegments(experiment.data, terminal, stop);
    if (ofClasses()) return notifyClasses(experiment.data, terminal, stop);
    if (!m_beside.empty()) return compareSchemes(experiment.data, terminal, stop);
    std::optional<MaskScheme> masks;
    if (!m_model.masks.empty())
      masks = masksFromOption(m_model.masks, makeMaskShape(experiment.model));
    const EvaluationRequest request{m_model.completeSource(),
                                    experiment.data,
                                    masks,
                                    [&](const ModelInfo& info) {
                                      sayHowItOpened(info, terminal);
                                      sayPrecision(terminal);
                                    },
                                    m_samples,
                                    m_precision,
                                    m_data.matching,
                                    [&](const std::string& text) { m_classMatch = text; }};
    ProgressBar bar(terminal);
    if (m_dropBranch && m_keep.keep)
      report(branchReportCached(experiment.data, terminal, stop), terminal);
    else if (m_check)
      report(valueOrThrow(checkKernels(request, m_images, bar.callback(), stop)), terminal);
    else if (m_dropBranch)
      report(valueOrThrow(evaluateWithoutBranch(request, bar.callback(), stop)), terminal);
    else
      report(valueOrThrow(evaluate(request, bar.callback(), stop)), terminal);
    return kExitOk;
  }

 private:
  int evaluateBoxes(Terminal& terminal, std::stop_token stop) {
    const bool others = m_check || m_dropBranch || m_images > 0 || !m_beside.empty() ||
                        m_changed > 0 || m_worst > 0 || !m_classes.csv.empty() ||
                        !m_classes.confusion.empty() || !m_branchReportCsv.empty() || m_keep.keep ||
                        m_precision != "float32" || !m_data.flags.empty();
    if (others)
      refuseUsage("--data", tr("has boxes, whose average precision takes only --samples, "
                               "--classes, --match, --class-map, --masks and the options of "
                               "boxes; leave out the others"));
    m_boxes.samples = m_samples;
    m_boxes.classes = m_classes.classes;
    m_boxes.run(m_model, m_data, terminal, stop);
    return kExitOk;
  }

  /// Whether more than the measures of the whole are wanted, or less than an evaluation.
  bool asksForMore() const { return ofClasses() || !m_beside.empty() || m_check; }

  int evaluateSegments(const DataConfig& data, Terminal& terminal, std::stop_token stop) {
    if (m_check || !m_beside.empty() || !m_classes.confusion.empty() || m_worst > 0 ||
        m_keep.keep || m_precision != "float32")
      refuseUsage("--classes", tr("of a segmenter takes only --classes-csv, --samples, --match, "
                                  "--class-map and --masks; leave out the others"));
    const auto session = m_model.open(terminal);
    ProgressBar bar(terminal);
    const SegmenterRequest request{data, m_samples, m_data.matching,
                                   [&](const std::string& text) { sayClassMatch(text, terminal); }};
    const SegmentReport report = valueOrThrow(evaluateSegmenter(
        *session, m_model.masksFor(session->info()), request, bar.callback(), stop));
    warnOfSkipped(report.skipped, terminal);
    if (!m_classes.csv.empty())
      valueOrThrow(writeFileAtomically(m_classes.csv, segmentReportCsv(report)));
    if (terminal.json())
      terminal.printJson(segmentReportJson(report));
    else
      printSegmentReport(report, m_classes.classes, terminal);
    return kExitOk;
  }

  /// A template alone is filled with the names of the data's classes.
  void fillTemplate(const Experiment& experiment) {
    Prompts& prompts = m_model.source.prompts;
    if (m_model.hasPrompts() || prompts.pattern.empty()) return;
    DatasetSpec spec =
        makeDatasetSpec(experiment.data, experiment.model.imageSize, experiment.seed);
    spec.measuredWhole = true;
    prompts.lines = valueOrThrow(openDataset(spec, Split::Validation))->classNames();
  }

  bool ofClasses() const {
    return m_classes.classes || !m_classes.csv.empty() || !m_classes.confusion.empty() ||
           m_worst > 0;
  }

  BranchReport branchReportCached(const DataConfig& data, Terminal& terminal,
                                  std::stop_token stop) {
    const auto session = m_model.open(terminal);
    ProgressBar bar(terminal);
    const ImageSample sample{data, m_samples, m_data.matching};
    return valueOrThrow(cachedBranchReport(m_keep.keeping(),
                                           {*session, sample, m_model.masksFor(session->info())},
                                           bar.callback(), stop));
  }

  /// Kept ones are of float32: another precision is measured.
  std::vector<SchemeResult> measured(InferenceSession& session, const DataConfig& data,
                                     const std::vector<MaskScheme>& schemes, Terminal& terminal,
                                     std::stop_token stop) {
    ProgressBar bar(terminal);
    const ImageSample sample{data, m_samples, m_data.matching};
    auto results =
        m_keep.keep ? keptEvaluations(m_keep.keeping(), {session, sample, schemes[0]}, schemes,
                                      bar.callback(), stop)
                    : evaluateSchemes(session, sample, schemes, bar.callback(), stop, m_precision);
    return valueOrThrow(std::move(results));
  }

  int notifyClasses(const DataConfig& data, Terminal& terminal, std::stop_token stop) {
    const auto session = m_model.open(terminal);
    auto results = measured(*session, data, {m_model.masksFor(session->info())}, terminal, stop);
    terminal.setStatus("");
    sayPrecision(terminal);
    sayClassMatch(results[0].classMatch, terminal);
    sayMeasured(results[0].measured, terminal);
    warnOfSkipped(results[0].skipped, terminal);
    m_classes.result = std::move(results[0]);
    m_classes.worst = static_cast<std::size_t>(m_worst);
    m_classes.precision = m_precision;
    reportClasses(m_classes, terminal);
    return kExitOk;
  }

  int compareSchemes(const DataConfig& data, Terminal& terminal, std::stop_token stop) {
    const auto session = m_model.open(terminal);
    const MaskShape shape = makeMaskShape(session->info().experiment.model);
    std::vector<MaskScheme> schemes{m_model.masksFor(session->info())};
    for (const std::string& name : m_beside)
      schemes.push_back(masksFromOption(name, shape));
    const auto results = measured(*session, data, schemes, terminal, stop);
    terminal.setStatus("");
    sayPrecision(terminal);
    sayClassMatch(results[0].classMatch, terminal);
    sayMeasured(results[0].measured, terminal);
    warnOfSkipped(results[0].skipped, terminal);
    std::vector<std::string> names{m_model.masks.empty() ? schemes[0].name() : m_model.masks};
    names.insert(names.end(), m_beside.begin(), m_beside.end());
    reportSchemes(
        SchemeTable{names, schemes, results, static_cast<std::size_t>(m_changed), m_precision},
        terminal);
    return kExitOk;
  }

  /// For text; JSON always names it.
  void sayPrecision(Terminal& terminal) const {
    if (m_precision != "float32" && !terminal.json())
      terminal.print(tr("products in ") + m_precision);
  }

  void printJson(Json result, Terminal& terminal) const {
    result["precision"] = m_precision;
    terminal.printJson(result);
  }

  static void warnOfSkipped(std::int64_t skipped, Terminal& terminal) {
    if (skipped > 0)
      terminal.warning(countText(skipped, tr("damaged file was"), tr("damaged files were")) +
                       tr(" skipped"));
  }

  void report(const EvaluationResult& result, Terminal& terminal) const {
    warnOfSkipped(result.skipped, terminal);
    sayClassMatch(m_classMatch, terminal);
    if (!terminal.json()) return terminal.print(evaluationText(result));
    Json json = evaluationJson(result);
    json["class_match"] = classMatchJson(m_classMatch);
    printJson(std::move(json), terminal);
  }

  void report(const BranchReport& result, Terminal& terminal) const {
    if (!m_branchReportCsv.empty())
      valueOrThrow(writeFileAtomically(m_branchReportCsv, branchReportCsv(result)));
    warnOfSkipped(result.with.skipped, terminal);
    if (terminal.json()) {
      Json json = branchReportJson(result);
      json["measured"] = measuredJson(result.measured);
      for (const char* key : {"with", "castled"})
        json[key]["precision"] = m_precision;  // each is as evaluate alone tells it
      return printJson(json, terminal);
    }
    printBranchReport(result, terminal);
    sayMeasured(result.measured, terminal);
  }

  void report(const KernelCheck& check, Terminal& terminal) const {
    warnOfSkipped(check.skipped, terminal);
    if (terminal.json()) {
      printJson(Json{{"images", check.images},
                     {"largest_difference", check.largest},  // no number becomes null
                     {"image", check.image},
                     {"image_name", check.imageName},
                     {"class", check.classIndex},
                     {"class_name", check.className},
                     {"top1_agrees", check.sameBest()},
                     {"top1_differs", check.otherBest},
                     {"fast", ranAs(check.fastImagesPerSecond, check.fastKernels)},
                     {"plain", ranAs(check.plainImagesPerSecond, check.plainKernels)},
                     {"skipped", check.skipped}},
                terminal);
      return;
    }
    char line[200];
    std::snprintf(line, sizeof line, tr("%lld images  largest difference of a logit %.3g  "),
                  static_cast<long long>(check.images), check.largest);
    terminal.print(line + (check.sameBest()
                               ? std::string(tr("top-1 agrees on all"))
                               : tr("top-1 differs on ") + std::to_string(check.otherBest)));
    terminal.print(tr("largest  image ") + std::to_string(check.image) + " (" + check.imageName +
                   tr("), class ") + std::to_string(check.classIndex) +
                   (check.className.empty() ? "" : " (" + check.className + ")"));
    printExplanation(tr("fast     "), check.fastImagesPerSecond, check.fastKernels, terminal);
    printExplanation(tr("plain    "), check.plainImagesPerSecond, check.plainKernels, terminal);
  }

  static Json ranAs(double imagesPerSecond, const std::string& kernels) {
    return {{"images_per_second", imagesPerSecond}, {"kernels", kernels}};
  }

  static void printExplanation(const char* name, double imagesPerSecond, const std::string& kernels,
                               Terminal& terminal) {
    char line[80];
    std::snprintf(line, sizeof line, tr("%s%.1f images/s  "), name, imagesPerSecond);
    terminal.print(line + kernels);
  }

  std::vector<std::string> m_beside;
  std::string m_precision = "float32", m_branchReportCsv, m_classMatch;
  CacheOptions m_keep;
  std::int64_t m_images = 0, m_samples = 0, m_changed = 0, m_worst = 0;
  ClassTable m_classes;
  BoxEvaluation m_boxes;
  bool m_json = false, m_dropBranch = false, m_check = false;
  ModelOptions m_model;
  DataOptions m_data;
};

}  // namespace

std::unique_ptr<Command> makeEvaluateCommand() {
  return std::make_unique<EvaluateCommand>();
}

}  // namespace headlight::cli
