// SPDX-License-Identifier: GPL-3.0-or-later

// fetch: published weights from the Hugging Face hub into its own cache.

#include <algorithm>

#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "core/base/FreeMemory.h"
#include "core/base/ShellText.h"
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
          {"licence", known ? Json(weights.licence) : Json(nullptr)},
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
        "fetch", "Download published weights from the Hugging Face hub, or list them");
    command
        ->add_option("name", m_words,
                     "A name with its tag (vit_small_patch14_reg4_dinov2.lvd142m), without it (the "
                     "first of its tags), or OWNER/NAME of the hub; with --list, words to look for")
        ->type_name("NAME");
    command->add_flag("--list", m_list, "The published weights that fit models known here");
    command->add_flag("--json", m_json, "The result as one JSON object");
    command->footer(
        "It lies where Python's huggingface_hub looks: $HF_HUB_CACHE, $HF_HOME/hub or "
        "~/.cache/huggingface/hub. Stopped, it goes on next time. HF_ENDPOINT (a mirror), HF_TOKEN "
        "(gated models), HF_HUB_OFFLINE, https_proxy and no_proxy are honoured.");
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    if (m_list) return list(terminal);
    if (m_words.size() != 1) refuseUsage("fetch", "needs one NAME; --list shows them");
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
    if (found.empty()) return terminal.note("no published weights have these words");
    std::size_t name = 0, licence = 0;
    for (const PublishedWeights& weights : found) {
      name = std::max(name, weights.name.size());
      licence = std::max(licence, weights.licence.size());
    }
    for (const PublishedWeights& weights : found)
      terminal.print(inTableColumn(weights.name, name) + "  " +
                     inTableColumn(parametersText(weights), 7, true) + "  " +
                     inTableColumn(sizeText(weights), 8, true) + "  " +
                     inTableColumn(classesText(weights), 13) + "  " +
                     inTableColumn(weights.licence, licence) +
                     (fetchedAlready(weights, options) ? "  here" : ""));
  }

  int fetch(Terminal& terminal, std::stop_token stop) const {
    const PublishedWeights weights = valueOrThrow(weightsNamed(m_words.front()));
    if (!weights.licence.empty())
      terminal.note(weights.name + ", licence " + weights.licence + ", about " + sizeText(weights));
    ProgressBar bar(terminal);
    const auto show = [&](const FetchProgress& told) {
      Progress progress = told.progress;
      progress.stage = fetchText(told);
      bar.show(progress);
    };
    const auto fetched = valueOrThrow(fetchModel(weights, fetchOptionsOfEnvironment(), show, stop));
    if (!fetched.note.empty()) terminal.warning(fetched.note);
    terminal.json() ? tellJson(fetched, terminal) : tell(fetched, terminal);
    return kExitOk;
  }

  static void tellJson(const FetchedModel& fetched, Terminal& terminal) {
    Json json = weightsJson(fetched.weights);
    json["commit"] = fetched.commit;
    json["folder"] = fetched.folder.string();
    json["file"] = fetched.file.string();
    json["bytes"] = fetched.bytes;
    json["downloaded_bytes"] = fetched.downloadedBytes;
    json["note"] = fetched.note.empty() ? Json(nullptr) : Json(fetched.note);
    terminal.printJson(json);
  }

  static void tell(const FetchedModel& fetched, Terminal& terminal) {
    terminal.note(fetched.downloadedBytes > 0 ? "downloaded " + bytesText(fetched.downloadedBytes)
                                              : "it was here already");
    terminal.print(fetched.folder.string());
    terminal.note("look with it: headlight-cli attend PICTURE --model " +
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
