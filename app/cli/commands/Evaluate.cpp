// SPDX-License-Identifier: GPL-3.0-or-later

// evaluate: loss and accuracy of a model on a validation split, what castling changes of them, and
// the model's kernels against the plain forms.

#include <cstdio>

#include "app/cli/options/DataOptions.h"
#include "app/cli/options/KeepOptions.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/reports/ClassTable.h"
#include "app/cli/reports/EvaluationText.h"
#include "app/cli/reports/SchemeTable.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "core/base/Text.h"
#include "core/base/files/Files.h"
#include "core/models/Registry.h"
#include "core/workbench/evaluation/Evaluate.h"
#include "core/workbench/evaluation/KernelCheck.h"

namespace headlight::cli {
namespace {

class EvaluateCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command =
        app.add_subcommand("evaluate", "Loss and accuracy of a model on a validation split");
    command->add_flag("--castle", m_castle,
                      "Of a model with auxiliary softmax branches (linear_angular): the accuracy "
                      "with them and without (castled), and whether nothing of them was left");
    command->add_flag("--check", m_check,
                      "Instead: run every picture by the model's fast kernels and by the plain "
                      "forms, and tell the largest difference of a logit");
    command
        ->add_option("--samples", m_samples,
                     "Use at most so many pictures, spread over the classes; default 0: all")
        ->type_name("INT")
        ->check(CLI::NonNegativeNumber.description(""));
    command
        ->add_option("--images", m_images, "Of --check: the first so many pictures; default 0: all")
        ->type_name("INT")
        ->check(CLI::NonNegativeNumber.description(""));
    command
        ->add_option("--beside", m_beside,
                     "Also under these masks, on the same pictures and with the same weights, and "
                     "what changes from them to --masks; whatever --masks takes, separated by "
                     "commas")
        ->delimiter(',')
        ->type_name("NAME|FILE");
    command
        ->add_option("--changed", m_changed,
                     "Of --beside: name at most so many pictures whose prediction changes, and as "
                     "many whose loss rises most; default 0")
        ->type_name("INT")
        ->check(CLI::NonNegativeNumber.description(""));
    command->add_flag("--classes", m_classes.classes, "Also a line for every class of pictures");
    const auto file = [&](const char* flag, std::string& target, const char* help) {
      command->add_option(flag, target, help)->type_name("FILE");
    };
    file("--classes-csv", m_classes.csv,
         "Write accuracy and loss of every class; - for standard "
         "output");
    file("--confusion", m_classes.confusion,
         "Write how many pictures of each class (rows) are taken for each (columns), as CSV; - for "
         "standard output");
    command->add_option("--worst", m_worst, "Name so many pictures, those of the greatest loss")
        ->type_name("INT")
        ->check(CLI::NonNegativeNumber.description(""));
    command
        ->add_option("--precision", m_precision,
                     "Of matrix products: float32, or bfloat16 or float16 where the device has "
                     "them, as training.precision; default float32")
        ->type_name("NAME");
    file("--castle-csv", m_castleCsv,
         "Of --castle: write what it changes and the nonzeros of every layer; - for standard "
         "output");
    m_keep.declare(*command);
    command->add_flag("--json", m_json, "The result as one JSON object");
    m_model.declare(*command);
    m_data.declare(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    m_model.require();
    if (m_check && m_castle)
      refuseUsage("--check", "and --castle are measurements of their own; give one of them");
    if (m_images > 0 && !m_check)
      refuseUsage("--images", "belongs to --check; an evaluation takes --samples for a part");
    if (m_samples > 0 && m_check)
      refuseUsage("--samples", "belongs to an evaluation; --check takes --images for a part");
    if (!m_beside.empty() && (m_check || m_castle))
      refuseUsage("--beside", "compares masks; --check and --castle are measurements of their own");
    if (m_changed > 0 && m_beside.empty())
      refuseUsage("--changed", "needs --beside, the masks to compare with");
    if (ofClasses() && (m_check || m_castle || !m_beside.empty()))
      refuseUsage("--classes",
                  "and its kin are of one evaluation, without --check, --castle and "
                  "--beside");
    if (!m_castleCsv.empty() && !m_castle)
      refuseUsage("--castle-csv", "belongs to --castle, whose numbers it writes");
    m_keep.check();
    if (m_keep.keep && !m_castle && !ofClasses() && m_beside.empty())
      refuseUsage("--keep", "is for --castle, --classes and its kin, and --beside");
    if (m_keep.keep && m_precision != "float32")
      refuseUsage("--keep", "keeps results in float32; leave out --precision");
    prepareOutput("--castle-csv", m_castleCsv, terminal);
    prepareOutput("--classes-csv", m_classes.csv, terminal);
    prepareOutput("--confusion", m_classes.confusion, terminal);
    const Experiment experiment = m_data.describe(m_model.source);
    if (ofClasses()) return tellClasses(experiment.data, terminal, stop);
    if (!m_beside.empty()) return compareSchemes(experiment.data, terminal, stop);
    std::optional<MaskScheme> masks;
    if (!m_model.masks.empty())
      masks = masksFromOption(m_model.masks, maskShapeOf(experiment.model));
    const EvaluationRequest request{m_model.sizedSource(),
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
    if (m_castle && m_keep.keep)
      report(castlingKept(experiment.data, terminal, stop), terminal);
    else if (m_check)
      report(valueOrThrow(checkKernels(request, m_images, bar.callback(), stop)), terminal);
    else if (m_castle)
      report(valueOrThrow(evaluateCastling(request, bar.callback(), stop)), terminal);
    else
      report(valueOrThrow(evaluate(request, bar.callback(), stop)), terminal);
    return kExitOk;
  }

 private:
  bool ofClasses() const {
    return m_classes.classes || !m_classes.csv.empty() || !m_classes.confusion.empty() ||
           m_worst > 0;
  }

  CastlingReport castlingKept(const DataConfig& data, Terminal& terminal, std::stop_token stop) {
    const auto session = m_model.open(terminal);
    ProgressBar bar(terminal);
    const PictureSample sample{data, m_samples, m_data.matching};
    return valueOrThrow(keptCastling(m_keep.keeping(),
                                     {*session, sample, m_model.masksFor(session->info())},
                                     bar.callback(), stop));
  }

  /// Kept ones are of float32: another precision is measured.
  std::vector<SchemeResult> measured(InferenceSession& session, const DataConfig& data,
                                     const std::vector<MaskScheme>& schemes, Terminal& terminal,
                                     std::stop_token stop) {
    ProgressBar bar(terminal);
    const PictureSample sample{data, m_samples, m_data.matching};
    auto results =
        m_keep.keep ? keptEvaluations(m_keep.keeping(), {session, sample, schemes[0]}, schemes,
                                      bar.callback(), stop)
                    : evaluateSchemes(session, sample, schemes, bar.callback(), stop, m_precision);
    return valueOrThrow(std::move(results));
  }

  int tellClasses(const DataConfig& data, Terminal& terminal, std::stop_token stop) {
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
    const MaskShape shape = maskShapeOf(session->info().experiment.model);
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

  /// Of text; JSON names it in any case.
  void sayPrecision(Terminal& terminal) const {
    if (m_precision != "float32" && !terminal.json()) terminal.print("products in " + m_precision);
  }

  void printJson(Json result, Terminal& terminal) const {
    result["precision"] = m_precision;
    terminal.printJson(result);
  }

  static void warnOfSkipped(std::int64_t skipped, Terminal& terminal) {
    if (skipped > 0)
      terminal.warning(countText(skipped, "damaged file was", "damaged files were") + " skipped");
  }

  void report(const EvaluationResult& result, Terminal& terminal) const {
    warnOfSkipped(result.skipped, terminal);
    sayClassMatch(m_classMatch, terminal);
    if (!terminal.json()) return terminal.print(evaluationText(result));
    Json json = evaluationJson(result);
    json["class_match"] = classMatchJson(m_classMatch);
    printJson(std::move(json), terminal);
  }

  void report(const CastlingReport& result, Terminal& terminal) const {
    if (!m_castleCsv.empty()) valueOrThrow(writeFileAtomically(m_castleCsv, castlingCsv(result)));
    warnOfSkipped(result.with.skipped, terminal);
    if (terminal.json()) {
      Json json = castlingJson(result);
      json["measured"] = measuredJson(result.measured);
      for (const char* key : {"with", "castled"})
        json[key]["precision"] = m_precision;  // each is as evaluate alone tells it
      return printJson(json, terminal);
    }
    printCastling(result, terminal);
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
    std::snprintf(line, sizeof line, "%lld images  largest difference of a logit %.3g  ",
                  static_cast<long long>(check.images), check.largest);
    terminal.print(line + (check.sameBest()
                               ? std::string("top-1 agrees on all")
                               : "top-1 differs on " + std::to_string(check.otherBest)));
    terminal.print("largest  image " + std::to_string(check.image) + " (" + check.imageName +
                   "), class " + std::to_string(check.classIndex) +
                   (check.className.empty() ? "" : " (" + check.className + ")"));
    printExplanation("fast     ", check.fastImagesPerSecond, check.fastKernels, terminal);
    printExplanation("plain    ", check.plainImagesPerSecond, check.plainKernels, terminal);
  }

  static Json ranAs(double imagesPerSecond, const std::string& kernels) {
    return {{"images_per_second", imagesPerSecond}, {"kernels", kernels}};
  }

  static void printExplanation(const char* name, double imagesPerSecond, const std::string& kernels,
                               Terminal& terminal) {
    char line[80];
    std::snprintf(line, sizeof line, "%s%.1f images/s  ", name, imagesPerSecond);
    terminal.print(line + kernels);
  }

  std::vector<std::string> m_beside;
  std::string m_precision = "float32", m_castleCsv, m_classMatch;
  KeepOptions m_keep;
  std::int64_t m_images = 0, m_samples = 0, m_changed = 0, m_worst = 0;
  ClassTable m_classes;
  bool m_json = false, m_castle = false, m_check = false;
  ModelOptions m_model;
  DataOptions m_data;
};

}  // namespace

std::unique_ptr<Command> makeEvaluateCommand() {
  return std::make_unique<EvaluateCommand>();
}

}  // namespace headlight::cli
