// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/labels/ImageNetDevkit.h"

#include <charconv>
#include <map>

#include "core/base/Result.h"
#include "core/base/Translation.h"
#include "core/data/labels/MatFile.h"
#include "core/data/labels/TableText.h"
#include "core/imaging/codecs/Image.h"

namespace headlight {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kTruth = "ILSVRC2012_validation_ground_truth.txt";
constexpr const char* kMeta = "meta.mat";
constexpr std::uintmax_t kMaxTruthBytes = 8u << 20, kMaxMetaBytes = 64u << 20;
constexpr std::size_t kMostSynsets = 100'000;

/// Where the kit may lie.
Names kitFolders(const FilePlace& place, const std::string& folder) {
  Names folders{"", folder, "data"};
  for (const std::string& name : folderNames(place, ""))
    if (name.find("devkit") != name.npos) {
      folders.push_back(name);
      folders.push_back(name + "/data");
      folders.push_back(name + "/" + name + "/data");
    }
  return folders;
}

std::string kitFile(const FilePlace& place, const Names& folders, const char* file) {
  for (const std::string& folder : folders)
    if (place.hasFile(nameIn(folder, file))) return nameIn(folder, file);
  return "";
}

[[noreturn]] void refuseTruth(const FilePlace& place, const std::string& file,
                              const std::string& why) {
  throw Failure({ErrorCode::InvalidFile, why, place.path(file).string()});
}

std::vector<std::size_t> numbersIn(const std::string& text) {
  std::vector<std::size_t> numbers;
  TableRows rows(text, ' ');
  Names cells;
  while (rows.next(cells)) {
    std::size_t number = 0;
    const std::string& cell = cells[0];
    const auto [end, problem] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
    const bool whole = problem == std::errc() && end == cell.data() + cell.size();
    numbers.push_back(whole ? number : 0);
  }
  return numbers;
}

Names imagesIn(const FilePlace& place, const std::string& folder) {
  Names images;
  for (const FolderEntry& entry : place.entries(folder))
    if (!entry.folder && hasImageExtension(entry.name))
      images.push_back(nameIn(folder, entry.name));
  return images;
}

}  // namespace

Names synsetsFromMeta(std::string_view bytes, const std::string& where) {
  const MatColumns columns = readMatTable(bytes, "synsets", {"ILSVRC2012_ID", "WNID"}, where);
  const Names& ids = columns.at("ILSVRC2012_ID");
  const Names& synsets = columns.at("WNID");
  Names byNumber;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::size_t number = numbersIn(ids[i] + "\n").empty() ? 0 : numbersIn(ids[i])[0];
    if (number == 0 || number > kMostSynsets || synsets[i].empty()) continue;
    if (byNumber.size() < number) byNumber.resize(number);
    byNumber[number - 1] = synsets[i];
  }
  return byNumber;
}

std::optional<ListedFiles> devkitLabels(const FilePlace& place, const std::string& folder) {
  const Names folders = kitFolders(place, folder);
  const std::string truth = kitFile(place, folders, kTruth);
  if (truth.empty()) return std::nullopt;
  const std::string meta = kitFile(place, folders, kMeta);
  if (meta.empty())
    refuseTruth(place, truth,
                tr("has numbers of the development kit's own, which only its meta.mat explains; "
                   "put meta.mat beside it"));
  const Names synsets =
      synsetsFromMeta(valueOrThrow(place.read(meta, kMaxMetaBytes)), place.path(meta).string());
  const auto numbers = numbersIn(valueOrThrow(place.read(truth, kMaxTruthBytes)));
  const Names images = imagesIn(place, folder);
  if (numbers.size() != images.size())
    refuseTruth(place, truth,
                "has " + std::to_string(numbers.size()) + tr(" lines for ") +
                    std::to_string(images.size()) + tr(" images in ") + folder +
                    tr("/; all of them are needed, under their original names"));
  ListedFiles found;
  found.list = truth;
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (numbers[i] == 0 || numbers[i] > synsets.size() || synsets[numbers[i] - 1].empty())
      refuseTruth(
          place, truth,
          tr("has a number that meta.mat does not explain, in line ") + std::to_string(i + 1));
    found.files.push_back({images[i], synsets[numbers[i] - 1], ""});
  }
  return found;
}

}  // namespace headlight
