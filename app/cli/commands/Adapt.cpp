// SPDX-License-Identifier: GPL-3.0-or-later

// adapt: a classifier for a person's own classes on the features of a frozen model, and its
// accuracy.

#include <cstdio>
#include <filesystem>

#include "app/cli/options/DataOptions.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/options/TableFlags.h"
#include "app/cli/reports/AdaptTable.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/models/Registry.h"
#include "core/workbench/adapt/Adapt.h"
#include "core/workbench/adapt/TaughtModel.h"
#include "core/workbench/evaluation/ClassReport.h"
#include "core/workbench/session/Datasets.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

/// Of one class, in the order in which classes are first named.
NamedImages& classOfName(std::vector<NamedImages>& classes, const std::string& name) {
  for (NamedImages& one : classes)
    if (one.name == name) return one;
  return classes.emplace_back(NamedImages{name, {}});
}

void addImages(NamedImages& one, const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return one.files.push_back(path);
  const auto images = imageFilesIn(path).images;
  one.files.insert(one.files.end(), images.begin(), images.end());
}

class AdaptCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "adapt", tr("Teach a model your classes: fit a linear probe and k-NN to the features of "
                    "the frozen backbone, and measure both"));
    command
        ->add_option("-o,--output", m_output,
                     tr("Save the model with the linear probe as its classifier: a checkpoint that "
                        "opens, trains and exports as any other"))
        ->type_name("FILE");
    command
        ->add_option("--class", m_named,
                     tr("A class by hand: NAME=IMAGE or NAME=FOLDER, in place of --data; give it "
                        "several times. data.validation_fraction of each class is held out"))
        ->type_name("NAME=PATH")
        ->allow_extra_args(false)
        ->take_all();
    command
        ->add_option("--beside", m_beside,
                     tr("Also compute the features under these masks: the accuracy of the same "
                        "probe, and of one fitted again. Takes the same values as --masks"))
        ->type_name("NAME|FILE");
    command
        ->add_option("--features", m_features,
                     tr("Keep the features in this file instead of the cache; a file of another "
                        "model or other masks is refused"))
        ->type_name("FILE");
    command->add_flag("--no-cache", m_noCache, tr("Neither use nor keep features on disk"));
    command->add_flag("--classes", m_table.classes, tr("Also print a line for each class"));
    command
        ->add_option("--confusion", m_confusion,
                     tr("Write the confusion matrix of the probe (rows: true class, columns: "
                        "predicted class) as CSV; - for standard output"))
        ->type_name("FILE");
    command
        ->add_option("--worst", m_worst,
                     tr("List this many held-out images with the greatest loss"))
        ->type_name("INT")
        ->check(CLI::NonNegativeNumber.description(""));
    declareJson(*command, m_json);
    command->footer(
        tr("The classes are the folders of --data. The probe is multinomial logistic regression;\n"
           "its L2 penalty is chosen on a part of the training images, the accuracy is that of\n"
           "the held-out images. Ctrl+C keeps the features that were computed; the same command\n"
           "then goes on."));
    m_flags.declare(*command);
    m_model.declare(*command);
    m_data.declare(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    m_model.require();
    AdaptRequest request;
    m_flags.read(&request.options);
    refuseContradictions(request.options);
    prepareOutput("--confusion", m_confusion, terminal);
    prepareOutput("--output", m_output, terminal);
    request.data = m_data.describe(m_model.source).data;
    request.classes = namedClasses();
    request.features = place();
    const auto session = m_model.open(terminal);
    const MaskScheme masks = m_model.masksFor(session->info());
    m_table.report = taught(*session, masks, request, terminal, stop);
    if (!m_beside.empty()) compare(*session, request, terminal, stop);
    if (!m_output.empty()) save(*session, masks, request);
    report(session->info(), masks, terminal);
    return kExitOk;
  }

 private:
  void refuseContradictions(const AdaptOptions& options) const {
    if (!m_output.empty() && options.layers > 1)
      refuseUsage("--output", tr("cannot save a classifier of several layers; leave out --layers"));
    if (!m_named.empty() && !m_data.folder.empty())
      refuseUsage("--class", tr("takes the place of --data; give one of them"));
    if (m_noCache && !m_features.empty())
      refuseUsage("--no-cache", tr("contradicts --features; give one of them"));
    if (m_data.matching.isChosen())
      refuseUsage("--match", tr("does not apply: the classes of the data become the model's"));
  }

  std::vector<NamedImages> namedClasses() const {
    std::vector<NamedImages> classes;
    for (const std::string& text : m_named) {
      const auto equals = text.find('=');
      if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
        refuseUsage("--class " + text, tr("must be NAME=IMAGE or NAME=FOLDER"));
      addImages(classOfName(classes, text.substr(0, equals)), text.substr(equals + 1));
    }
    return classes;
  }

  FeaturePlace place() const {
    if (m_noCache) return {};
    return m_features.empty() ? FeaturePlace::ofUser() : FeaturePlace{m_features, {}};
  }

  static AdaptReport taught(InferenceSession& session, const MaskScheme& masks,
                            const AdaptRequest& request, Terminal& terminal,
                            const std::stop_token& stop) {
    ProgressBar bar(terminal);
    return valueOrThrow(adapt(session, masks, request, bar.callback(), stop));
  }

  /// A file of features is of one scheme: the others' are not kept beside it.
  void compare(InferenceSession& session, AdaptRequest request, Terminal& terminal,
               const std::stop_token& stop) {
    if (!m_features.empty()) request.features = {};
    request.previous = m_table.report.head;
    const MaskShape shape = makeMaskShape(session.info().experiment.model);
    m_table.besideName = m_beside;
    m_table.beside = taught(session, masksFromOption(m_beside, shape), request, terminal, stop);
  }

  void save(InferenceSession& session, const MaskScheme& masks, const AdaptRequest& request) const {
    const auto data = m_named.empty() ? std::optional(request.data) : std::nullopt;
    const auto model = valueOrThrow(withHead(session, m_table.report.head, masks, data));
    valueOrThrow(model->save(m_output, masks));
  }

  void report(const ModelInfo& info, const MaskScheme& masks, Terminal& terminal) {
    if (!m_confusion.empty())
      valueOrThrow(writeFileAtomically(
          m_confusion, confusionCsv(classReport(m_table.report.probe, 0), m_table.report.probe)));
    m_table.worst = static_cast<std::size_t>(m_worst);
    m_table.output = m_output;
    if (!terminal.json()) return printAdaptTable(m_table, terminal);
    Json json = adaptJson(m_table);
    json["model"] = modelJson(info, masks);
    terminal.printJson(json);
  }

  ModelOptions m_model;
  DataOptions m_data;
  TableFlags m_flags{adaptParameters(), "Classifier"};
  std::string m_output, m_beside, m_features, m_confusion;
  std::vector<std::string> m_named;
  std::int64_t m_worst = 0;
  bool m_noCache = false, m_json = false;
  AdaptTable m_table;
};

}  // namespace

std::unique_ptr<Command> makeAdaptCommand() {
  return std::make_unique<AdaptCommand>();
}

}  // namespace headlight::cli
