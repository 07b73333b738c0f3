// SPDX-License-Identifier: GPL-3.0-or-later

// fetch: published weights from the Hugging Face hub into its own cache.

#include <algorithm>

#include "app/cli/options/ResultFlags.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "core/base/FreeMemory.h"
#include "core/base/ShellText.h"
#include "core/base/Translation.h"
#include "core/workbench/hub/ModelFetch.h"

namespace headlight::cli {
namespace {

Json countOrNull(std::int64_t count) {
  return count > 0 ? Json(count) : Json(nullptr);
}

Json weightsJson(const PublishedWeights& weights) {
  const bool known = weights.parameters > 0;
  return {{"name", weights.name},
          {"architecture", weights.architecture()},
          {"tag", weights.tag()},
          {"repository", weights.repository},
          {"license", known ? Json(weights.license) : Json(nullptr)},
          {"classes", known ? Json(weights.classes) : Json(nullptr)},
          {"image_size", countOrNull(weights.imageSize)},
          {"parameters", countOrNull(weights.parameters)},
          {"about_bytes", countOrNull(weights.aboutBytes())}};
}

std::string inTableColumn(std::string text, std::size_t width, bool right = false) {
  const std::size_t missing = text.size() < width ? width - text.size() : 0;
  return right ? std::string(missing, ' ') + text : text + std::string(missing, ' ');
}

class FetchCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "fetch", tr("Download published weights from the Hugging Face hub, or list them"));
    command
        ->add_option(
            "name", m_words,
            tr("A name with its tag (vit_small_patch14_reg4_dinov2.lvd142m), without it (the first "
               "of its tags), or OWNER/NAME on the hub; with --list, search words"))
        ->type_name("NAME");
    command->add_flag("--list", m_list, tr("List the published weights of supported models"));
    declareJson(*command, m_json);
    command->footer(tr(
        "Files are stored where Python's huggingface_hub finds them: $HF_HUB_CACHE, $HF_HOME/hub "
        "or ~/.cache/huggingface/hub. A stopped download resumes next time. HF_ENDPOINT (a "
        "mirror), HF_TOKEN (gated models), HF_HUB_OFFLINE, https_proxy and no_proxy are honored."));
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    if (m_list) return list(terminal);
    if (m_words.size() != 1) refuseUsage("fetch", tr("needs one NAME; --list shows them"));
    return fetch(terminal, stop);
  }

 private:
  std::string search() const {
    std::string words;
    for (const std::string& word : m_words)
      words += word + ' ';
    return words;
  }

  int list(Terminal& terminal) const {
    const FetchOptions options = fetchOptionsOfEnvironment();
    std::vector<PublishedWeights> found;
    for (const PublishedWeights& weights : publishedWeights())
      if (isFoundBy(weights, search())) found.push_back(weights);
    terminal.json() ? listJson(found, options, terminal) : listText(found, options, terminal);
    return kExitOk;
  }

  static void listJson(const std::vector<PublishedWeights>& found, const FetchOptions& options,
                       Terminal& terminal) {
    Json all = Json::array();
    for (const PublishedWeights& weights : found) {
      Json json = weightsJson(weights);
      const auto here = fetchedAlready(weights, options);
      json["folder"] = here ? Json(here->folder.string()) : Json(nullptr);
      all.push_back(json);
    }
    terminal.printJson(Json{{"cache", options.cache.string()}, {"weights", all}});
  }

  static void listText(const std::vector<PublishedWeights>& found, const FetchOptions& options,
                       Terminal& terminal) {
    if (found.empty()) return terminal.note(tr("no published weights match these words"));
    std::size_t name = 0, license = 0;
    for (const PublishedWeights& weights : found) {
      name = std::max(name, weights.name.size());
      license = std::max(license, weights.license.size());
    }
    for (const PublishedWeights& weights : found)
      terminal.print(inTableColumn(weights.name, name) + "  " +
                     inTableColumn(parametersText(weights), 7, true) + "  " +
                     inTableColumn(sizeText(weights), 8, true) + "  " +
                     inTableColumn(classesText(weights), 13) + "  " +
                     inTableColumn(weights.license, license) +
                     (fetchedAlready(weights, options) ? "  here" : ""));
  }

  int fetch(Terminal& terminal, std::stop_token stop) const {
    const PublishedWeights weights = valueOrThrow(weightsNamed(m_words.front()));
    if (!weights.license.empty())
      terminal.note(weights.name + tr(", license ") + weights.license + tr(", about ") +
                    sizeText(weights));
    ProgressBar bar(terminal);
    const auto show = [&](const FetchProgress& reported) {
      Progress progress = reported.progress;
      progress.stage = fetchText(reported);
      bar.show(progress);
    };
    const auto fetched = valueOrThrow(fetchModel(weights, fetchOptionsOfEnvironment(), show, stop));
    if (!fetched.note.empty()) terminal.warning(fetched.note);
    terminal.json() ? reportJson(fetched, terminal) : notify(fetched, terminal);
    return kExitOk;
  }

  static void reportJson(const FetchedModel& fetched, Terminal& terminal) {
    Json json = weightsJson(fetched.weights);
    json["commit"] = fetched.commit;
    json["folder"] = fetched.folder.string();
    json["file"] = fetched.file.string();
    json["bytes"] = fetched.bytes;
    json["downloaded_bytes"] = fetched.downloadedBytes;
    json["note"] = fetched.note.empty() ? Json(nullptr) : Json(fetched.note);
    terminal.printJson(json);
  }

  static void notify(const FetchedModel& fetched, Terminal& terminal) {
    terminal.note(fetched.downloadedBytes > 0
                      ? tr("downloaded ") + bytesText(fetched.downloadedBytes)
                      : tr("already downloaded"));
    terminal.print(fetched.folder.string());
    terminal.note(tr("use it: headlight-cli attend IMAGE --model ") +
                  shellQuoted(fetched.folder.string()));
  }

  std::vector<std::string> m_words;
  bool m_list = false, m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeFetchCommand() {
  return std::make_unique<FetchCommand>();
}

}  // namespace headlight::cli
