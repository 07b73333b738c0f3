// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/hub/PublishedWeights.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <map>
#include <sstream>

#include "core/base/FreeMemory.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/config/Parameter.h"
#include "core/models/Registry.h"
#include "core/workbench/hub/WeightsTable.h"

namespace headlight {
namespace {

constexpr std::size_t kColumns = 6;

std::vector<std::string> fieldsOnLine(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, '\t');)
    fields.push_back(field);
  return fields;
}

std::int64_t countInField(const std::string& field, int line) {
  std::int64_t count = -1;
  const char* end = field.data() + field.size();
  const auto [stop, problem] = std::from_chars(field.data(), end, count);
  if (problem == std::errc() && stop == end && count >= 0) return count;
  throw Failure(Error{ErrorCode::InvalidFile, "\"" + field + tr("\" is not a count"),
                      tr("published weights, line ") + std::to_string(line)});
}

PublishedWeights weightsOnLine(const std::vector<std::string>& fields, int line) {
  if (fields.size() != kColumns)
    throw Failure(Error{ErrorCode::InvalidFile, tr("a line has six fields between tabs"),
                        tr("published weights, line ") + std::to_string(line)});
  const std::string repository = fields[1] == "-" ? "timm/" + fields[0] : fields[1];
  return {fields[0],
          repository,
          fields[2],
          static_cast<int>(countInField(fields[3], line)),
          countInField(fields[4], line),
          static_cast<int>(countInField(fields[5], line))};
}

/// "owner/repository" as the hub allows it: nothing of it can lead out of the cache's folder.
bool isRepository(const std::string& name) {
  const auto slash = name.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == name.size()) return false;
  if (name.find('/', slash + 1) != std::string::npos) return false;
  if (name.find("..") != std::string::npos || name.find("--") != std::string::npos) return false;
  if (name.front() == '.' || name[slash + 1] == '.') return false;
  return std::all_of(name.begin(), name.end(), [](unsigned char letter) {
    return letter == '/' || letter == '.' || letter == '_' || letter == '-' ||
           (letter < 128 && std::isalnum(letter));
  });
}

/// For unlisted weights, of which only the hub's name is known.
PublishedWeights unlisted(const std::string& repository) {
  PublishedWeights weights;
  weights.name = repository.substr(repository.find('/') + 1);
  weights.repository = repository;
  return weights;
}

/// That the registry knows a model of this name, and that it can be made at all.
bool opensHere(const std::string& architecture) {
  const PublishedModel* model = findPublishedModel(architecture);
  return model && guarded(model->name, [&] { return modelCost(model->config); });
}

Error unknownName(const std::string& name) {
  std::vector<std::string> names;
  for (const PublishedWeights& weights : publishedWeights())
    if (isFoundBy(weights, name)) names.push_back(weights.name);
  if (names.empty()) {
    for (const PublishedWeights& weights : publishedWeights()) {
      names.push_back(weights.name);
      if (names.back() != weights.architecture()) names.push_back(weights.architecture());
    }
    const std::string close = closestName(name, names);
    names = close.empty() ? std::vector<std::string>() : std::vector<std::string>{close};
  }
  return {ErrorCode::InvalidArgument,
          names.empty()
              ? tr("unknown name of published weights; list them, or give a repository "
                   "as OWNER/NAME")
              : tr("unknown name of published weights; did you mean ") + joined(names, 6) + "?",
          name};
}

}  // namespace

std::string PublishedWeights::architecture() const {
  return name.substr(0, name.find('.'));
}

std::string PublishedWeights::tag() const {
  const auto dot = name.find('.');
  return dot == std::string::npos ? "" : name.substr(dot + 1);
}

std::vector<PublishedWeights> weightsFromText(std::string_view text) {
  std::vector<PublishedWeights> all;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!line.empty() && line.front() != '#')
      all.push_back(weightsOnLine(fieldsOnLine(line), number));
  }
  return all;
}

const std::vector<PublishedWeights>& publishedWeights() {
  static const std::vector<PublishedWeights> known = [] {
    auto all = weightsFromText(weightsTable());
    std::map<std::string, bool> opens;  // counting takes its time, and tags are many
    std::erase_if(all, [&opens](const PublishedWeights& weights) {
      const std::string name = weights.architecture();
      if (!opens.contains(name)) opens[name] = opensHere(name);
      return !opens.at(name);
    });
    return all;
  }();
  return known;
}

Result<PublishedWeights> weightsNamed(const std::string& name) {
  for (const PublishedWeights& weights : publishedWeights())
    if (weights.name == name || weights.repository == name) return weights;
  for (const PublishedWeights& weights : publishedWeights())
    if (weights.architecture() == name) return weights;
  if (isRepository(name)) return unlisted(name);
  return unknownName(name);
}

bool isFoundBy(const PublishedWeights& weights, const std::string& search) {
  const std::string text = lowered(weights.name + " " + weights.license);
  std::istringstream words(lowered(search));
  for (std::string word; words >> word;)
    if (text.find(word) == std::string::npos) return false;
  return true;
}

std::string parametersText(const PublishedWeights& weights) {
  if (weights.parameters <= 0) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%.*f M", weights.parameters < 100'000'000 ? 1 : 0,
                static_cast<double>(weights.parameters) / 1e6);
  return text;
}

std::string classesText(const PublishedWeights& weights) {
  if (weights.parameters <= 0) return "";
  return weights.classes > 0 ? std::to_string(weights.classes) + " classes" : "features";
}

std::string sizeText(const PublishedWeights& weights) {
  return weights.parameters > 0 ? bytesText(weights.aboutBytes()) : "";
}

}  // namespace headlight
