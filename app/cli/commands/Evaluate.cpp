// evaluate: loss and accuracy of a model on a validation split, what castling changes of them, and
// the model's kernels against the plain forms.

#include <cmath>
#include <cstdio>

#include "app/cli/ClassTable.h"
#include "app/cli/Command.h"
#include "app/cli/DataOptions.h"
#include "app/cli/ExitCodes.h"
#include "app/cli/ModelOptions.h"
#include "app/cli/ProgressBar.h"
#include "app/cli/SchemeTable.h"
#include "core/models/Registry.h"
#include "core/workbench/Evaluate.h"
#include "core/workbench/KernelCheck.h"

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
    prepareOutput("--classes-csv", m_classes.csv, terminal);
    prepareOutput("--confusion", m_classes.confusion, terminal);
    const Experiment experiment = m_data.describe(m_model.source);
    if (ofClasses()) return tellClasses(experiment.data, terminal, stop);
    if (!m_beside.empty()) return compareSchemes(experiment.data, terminal, stop);
    std::optional<MaskScheme> masks;
    if (!m_model.masks.empty())
      masks = masksFromOption(m_model.masks, maskShapeOf(experiment.model));
    const EvaluationRequest request{m_model.source, experiment.data, masks,
                                    [&](const ModelInfo& info) { sayHowItOpened(info, terminal); },
                                    m_samples};
    ProgressBar bar(terminal);
    if (m_check)
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

  int tellClasses(const DataConfig& data, Terminal& terminal, std::stop_token stop) {
    const auto session = m_model.open(terminal);
    ProgressBar bar(terminal);
    auto results =
        valueOrThrow(evaluateSchemes(*session, PictureSample{data, m_samples},
                                     {m_model.masksFor(session->info())}, bar.callback(), stop));
    terminal.setStatus("");
    warnOfSkipped(results[0].skipped, terminal);
    m_classes.result = std::move(results[0]);
    m_classes.worst = static_cast<std::size_t>(m_worst);
    reportClasses(m_classes, terminal);
    return kExitOk;
  }

  int compareSchemes(const DataConfig& data, Terminal& terminal, std::stop_token stop) {
    const auto session = m_model.open(terminal);
    const MaskShape shape = maskShapeOf(session->info().experiment.model);
    std::vector<MaskScheme> schemes{m_model.masksFor(session->info())};
    for (const std::string& name : m_beside)
      schemes.push_back(masksFromOption(name, shape));
    ProgressBar bar(terminal);
    const auto results = valueOrThrow(
        evaluateSchemes(*session, PictureSample{data, m_samples}, schemes, bar.callback(), stop));
    terminal.setStatus("");
    warnOfSkipped(results[0].skipped, terminal);
    std::vector<std::string> names{m_model.masks.empty() ? schemes[0].name() : m_model.masks};
    names.insert(names.end(), m_beside.begin(), m_beside.end());
    reportSchemes(SchemeTable{names, schemes, results, static_cast<std::size_t>(m_changed)},
                  terminal);
    return kExitOk;
  }

  static Json toJson(const EvaluationResult& result) {
    return {{"images", result.images},
            {"loss", result.loss},
            {"top1", result.top1},
            {"top5", result.top5},
            {"images_per_second", result.imagesPerSecond},
            {"skipped", result.skipped}};
  }

  static std::string toText(const EvaluationResult& result) {
    char line[200];
    std::snprintf(line, sizeof line,
                  "%lld images  loss %.4f  top-1 %.2f %%  top-5 %.2f %%  %.1f images/s",
                  static_cast<long long>(result.images), result.loss, 100 * result.top1,
                  100 * result.top5, result.imagesPerSecond);
    return line;
  }

  static void warnOfSkipped(std::int64_t skipped, Terminal& terminal) {
    if (skipped > 0) terminal.warning(std::to_string(skipped) + " damaged files were skipped");
  }

  static void report(const EvaluationResult& result, Terminal& terminal) {
    warnOfSkipped(result.skipped, terminal);
    if (terminal.json())
      terminal.printJson(toJson(result));
    else
      terminal.print(toText(result));
  }

  static void report(const CastlingReport& result, Terminal& terminal) {
    warnOfSkipped(result.with.skipped, terminal);
    if (terminal.json()) {
      Json nonzeros = Json::array(), perImage = Json::array();  // NaN (no branch) becomes null
      for (const auto& layer : result.layers) {
        nonzeros.push_back(layer.nonzeros);
        perImage.push_back(layer.perImage);
      }
      terminal.printJson(Json{{"with", toJson(result.with)},
                              {"castled", toJson(result.castled)},
                              {"nonzeros", nonzeros},
                              {"nonzeros_per_image", perImage},
                              {"free", result.free},
                              {"verdict", result.verdict}});
      return;
    }
    terminal.print("with the auxiliary branch  " + toText(result.with));
    terminal.print("castled                    " + toText(result.castled));
    for (std::size_t l = 0; l < result.layers.size(); ++l) {
      const auto& layer = result.layers[l];
      char line[120];
      std::snprintf(line, sizeof line, "layer %zu: %.3g %% nonzeros, %.6g an image", l,
                    100 * layer.nonzeros, layer.perImage);
      terminal.print(std::isnan(layer.nonzeros)
                         ? "layer " + std::to_string(l) + ": no auxiliary branch"
                         : std::string(line));
    }
    terminal.print("castling is " + result.verdict);
  }

  static void report(const KernelCheck& check, Terminal& terminal) {
    warnOfSkipped(check.skipped, terminal);
    if (terminal.json()) {
      terminal.printJson(Json{{"images", check.images},
                              {"largest_difference", check.largest},  // no number becomes null
                              {"image", check.image},
                              {"image_name", check.imageName},
                              {"class", check.classIndex},
                              {"class_name", check.className},
                              {"top1_agrees", check.sameBest()},
                              {"top1_differs", check.otherBest},
                              {"fast", ranAs(check.fastImagesPerSecond, check.fastKernels)},
                              {"plain", ranAs(check.plainImagesPerSecond, check.plainKernels)},
                              {"skipped", check.skipped}});
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
    printWay("fast     ", check.fastImagesPerSecond, check.fastKernels, terminal);
    printWay("plain    ", check.plainImagesPerSecond, check.plainKernels, terminal);
  }

  static Json ranAs(double imagesPerSecond, const std::string& kernels) {
    return {{"images_per_second", imagesPerSecond}, {"kernels", kernels}};
  }

  static void printWay(const char* name, double imagesPerSecond, const std::string& kernels,
                       Terminal& terminal) {
    char line[80];
    std::snprintf(line, sizeof line, "%s%.1f images/s  ", name, imagesPerSecond);
    terminal.print(line + kernels);
  }

  std::vector<std::string> m_beside;
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
