// SPDX-License-Identifier: GPL-3.0-or-later

// query-key-map: queries and keys of one head over many images, together in two dimensions.

#include "app/cli/options/ImageSourceOptions.h"
#include "app/cli/options/Inputs.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/options/TableFlags.h"
#include "app/cli/reports/QueryKeyText.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/workbench/loading/WeightsName.h"
#include "core/workbench/pairs/QueryKeyFigure.h"

namespace headlight::cli {
namespace {

constexpr double kStandardOutputDpi = 192;

class QueryKeyMapCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "query-key-map", tr("Map queries and keys of a head over many images together into two "
                            "dimensions (AttentionViz); --seed draws images and tokens"));
    command
        ->add_option("--image", m_sources.images,
                     tr("Map tokens of these images or image folders; default: the validation "
                        "split of --data"))
        ->type_name("FILE");
    command
        ->add_option(
            "--color", m_colorName,
            tr("Colors of the figure: ") + joined(pointColoringNames()) + tr("; default role"))
        ->type_name("NAME");
    command
        ->add_option("-o,--output", m_output,
                     tr("Write the map as a figure (.pdf, .svg or .png; - for PNG to standard "
                        "output)"))
        ->type_name("FILE");
    declareCsv(*command, m_csv, tr("Write the points as CSV; - for standard output"));
    declareJson(*command, m_json);
    m_flags.declare(*command);
    m_sources.declareSources(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    check();
    prepareOutput("--csv", m_csv, terminal);
    prepareOutput("--output", m_output, terminal);
    if (!m_sources.images.empty()) m_files = expandImages(m_sources.images);
    const auto session = m_sources.model.open(terminal);
    const MaskScheme masks = m_sources.model.masksFor(session->info());
    const ImageSource feed = source(*session);
    ProgressBar bar(terminal);
    const QueryKeyMap map =
        valueOrThrow(mapQueryKeys(*session, feed, masks, m_options, bar.callback(), stop));
    terminal.setStatus("");
    warnOfUnread(map.fed, terminal);
    write(map, makeModelTitle(session->info()), terminal);
    if (terminal.json())
      printJson(map, modelJson(session->info(), masks), terminal);
    else
      printQueryKeyMap(map, terminal);
    return kExitOk;
  }

 private:
  /// What can be said before the model is loaded.
  void check() {
    m_sources.model.require();
    m_sources.samples = 0;  // --images draws from all
    m_sources.check();
    if (m_sources.maps)
      refuseUsage("--image", tr("is a file of maps; queries and keys need the model's images"));
    m_flags.read(&m_options);
    m_options.seed = m_sources.model.source.seed;
    m_color = valueOrThrow(pointColoringFromName(m_colorName));
    if (!m_output.empty() && m_output != "-" && !isDrawingName(m_output))
      refuseUsage("--output", tr("must end in .pdf, .svg or .png; --csv writes the numbers"));
    if (!m_csv.empty() && m_csv == m_output)
      refuseUsage("--csv", tr("and --output must be different files"));
  }

  ImageSource source(const InferenceSession& session) const {
    if (!m_files.empty()) return makeImageSource(m_files);
    return valueOrThrow(makeImageSource(session.info(), m_sources.sample()));
  }

  void write(const QueryKeyMap& map, const std::string& subject, Terminal& terminal) const {
    if (!m_csv.empty()) valueOrThrow(writeFileAtomically(m_csv, queryKeyCsv(map)));
    if (m_output == "-") {
      const auto png = valueOrThrow(renderPng(queryKeyDrawing(map, m_color, subject),
                                              kStandardOutputDpi, {{"Software", "Headlight"}}));
      valueOrThrow(writeFileAtomically(m_output, png));
    } else if (!m_output.empty()) {
      valueOrThrow(writeQueryKeyMap(m_output, map, m_color, subject));
      terminal.note(tr("wrote ") + m_output);
    }
  }

  void printJson(const QueryKeyMap& map, const Json& model, Terminal& terminal) const {
    Json result = {{"model", model}};
    result.update(queryKeyJson(map, m_files));
    result["seed"] = m_options.seed;
    result["output"] = m_output.empty() ? Json(nullptr) : Json(m_output);
    terminal.printJson(result);
  }

  std::string m_colorName = "role", m_output, m_csv;
  bool m_json = false;
  PointColoring m_color = PointColoring::Role;
  ImageSourceOptions m_sources;
  std::vector<std::filesystem::path> m_files;
  TableFlags m_flags{queryKeyParameters(), tr("Query-key map")};
  QueryKeyOptions m_options;
};

}  // namespace

std::unique_ptr<Command> makeQueryKeyMapCommand() {
  return std::make_unique<QueryKeyMapCommand>();
}

}  // namespace headlight::cli
