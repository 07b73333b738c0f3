// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/ShardNames.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <system_error>
#include <utility>

#include "core/base/Translation.h"
#include "core/data/files/NaturalOrder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostNames = 1'000'000;
constexpr std::uint64_t kMostNameBytes = 255;         // of a file's name, as Linux has it
constexpr std::uint64_t kMostBytesInAll = 64u << 20;  // of all names together
constexpr std::uint64_t kUncounted = 1'000'000'000'000;
constexpr const char* kValidationWords[] = {"val", "validation", "valid", "test"};
constexpr const char* kFolders[] = {"train", "val", "validation", "valid", "test"};

/// A pattern may be as long as a config may be.
std::string shownPattern(const std::string& pattern) {
  constexpr std::size_t kShown = 80;
  return pattern.size() <= kShown ? pattern : pattern.substr(0, kShown) + "…";
}

[[noreturn]] void refusePattern(const std::string& pattern, const std::string& what) {
  throw Failure({ErrorCode::InvalidArgument,
                 what + tr("; write a pattern as train-{000..146}.tar or {train,val}-0.tar"),
                 shownPattern(pattern)});
}

[[noreturn]] void refuseSize(const std::string& pattern, std::uint64_t found,
                             const std::string& ofWhat, std::uint64_t most) {
  const std::string count =
      found < kUncounted ? std::to_string(found) : "more than " + std::to_string(kUncounted - 1);
  throw Failure({ErrorCode::InvalidArgument,
                 tr("the pattern in data.path (or --data) stands for ") + count + " " + ofWhat +
                     tr(", and at most ") + std::to_string(most) +
                     tr(" are allowed; use a shorter pattern, or give the folder of the shards"),
                 shownPattern(pattern)});
}

bool isNumber(const std::string& text) {
  return !text.empty() && text.size() <= 9 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// A stretch of a pattern: the texts of a list, or numbers that count from `first` on.
struct Piece {
  std::vector<std::string> texts;
  long first = 0;
  std::size_t digits = 0;     ///< at least so many, with zeros in front
  std::uint64_t count = 0;    ///< how many texts it stands for
  std::uint64_t longest = 0;  ///< of these, in bytes
  std::uint64_t bytes = 0;    ///< of all of them; of numbers at most

  std::string at(std::uint64_t index) const {
    if (!texts.empty()) return texts[index];
    std::string text = std::to_string(first + static_cast<long>(index));
    if (text.size() < digits) text.insert(0, digits - text.size(), '0');
    return text;
  }
};

Piece listPiece(std::vector<std::string> texts) {
  Piece piece;
  piece.count = texts.size();
  for (const std::string& text : texts) {
    piece.longest = std::max<std::uint64_t>(piece.longest, text.size());
    piece.bytes += text.size();
  }
  piece.texts = std::move(texts);
  return piece;
}

/// "000..146" counts, with zeros in front where the first number has them.
Piece countedPiece(const std::string& inside, const std::string& pattern) {
  const std::size_t dots = inside.find("..");
  const std::string first = inside.substr(0, dots), last = inside.substr(dots + 2);
  if (!isNumber(first) || !isNumber(last) || std::stol(first) > std::stol(last))
    refusePattern(pattern,
                  "{" + shownPattern(inside) + tr("} is not a range of increasing numbers"));
  Piece piece;
  piece.first = std::stol(first);
  piece.digits = first.size();
  piece.count = static_cast<std::uint64_t>(std::stol(last) - piece.first) + 1;
  piece.longest = std::max(first.size(), std::to_string(std::stol(last)).size());
  piece.bytes = piece.count * piece.longest;
  return piece;
}

Piece piecewise(const std::string& inside, const std::string& pattern) {
  if (inside.empty() || inside.find('{') != inside.npos)
    refusePattern(pattern, tr("has empty or nested braces"));
  if (inside.find("..") != inside.npos) return countedPiece(inside, pattern);
  std::vector<std::string> texts;
  for (std::size_t begin = 0; begin <= inside.size();) {
    const std::size_t end = std::min(inside.find(',', begin), inside.size());
    texts.push_back(inside.substr(begin, end - begin));
    begin = end + 1;
  }
  return listPiece(std::move(texts));
}

/// What stands for one text alone becomes one with its neighbors, so that only pieces with a choice
/// are many.
void addPiece(std::vector<Piece>& pieces, Piece piece) {
  if (piece.count != 1 || pieces.empty() || pieces.back().count != 1)
    return pieces.push_back(std::move(piece));
  pieces.back().texts = {pieces.back().at(0).append(piece.at(0))};
  pieces.back().longest = pieces.back().bytes = pieces.back().texts.front().size();
}

std::vector<Piece> piecesOf(const std::string& pattern) {
  std::vector<Piece> pieces;
  for (std::size_t begin = 0; begin < pattern.size();) {
    const std::size_t open = std::min(pattern.find('{', begin), pattern.size());
    if (open > begin) addPiece(pieces, listPiece({pattern.substr(begin, open - begin)}));
    if (open == pattern.size()) break;
    const std::size_t close = pattern.find('}', open);
    if (close == pattern.npos) refusePattern(pattern, tr("has an unclosed brace"));
    addPiece(pieces, piecewise(pattern.substr(open + 1, close - open - 1), pattern));
    begin = close + 1;
  }
  return pieces;
}

/// Before any name is made. Returns how many there are.
std::uint64_t requireFewNames(const std::vector<Piece>& pieces, const std::string& pattern) {
  std::uint64_t count = 1, longest = 0;
  for (const Piece& piece : pieces) {
    count = std::min(count * piece.count, kUncounted);
    longest += piece.longest;
  }
  if (count > kMostNames) refuseSize(pattern, count, "shards", kMostNames);
  if (longest > kMostNameBytes)
    refuseSize(pattern, longest, tr("bytes in the name of a shard"), kMostNameBytes);
  std::uint64_t bytes = 0;
  for (const Piece& piece : pieces)
    bytes += count / piece.count * piece.bytes;
  if (bytes > kMostBytesInAll)
    refuseSize(pattern, bytes, tr("bytes in the names of all shards"), kMostBytesInAll);
  return count;
}

bool isPattern(const fs::path& path) {
  return path.filename().native().find('{') != std::string::npos;
}

/// Trainers name checkpoints so, which are no archives.
bool isCheckpointName(const fs::path& name) {
  const fs::path inner = name.stem().extension();
  return inner == ".pth" || inner == ".pt" || inner == ".ckpt";
}

bool isShard(const fs::path& name) {
  return name.extension() == ".tar" && !isCheckpointName(name) &&
         !name.filename().native().starts_with('.');
}

/// Names of tar files in the folder, `below` before each; none where there is no such folder.
std::vector<std::string> tarsIn(const fs::path& folder, const std::string& below) {
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator at(folder / below, code), end; !code && at != end; at.increment(code))
    if (isShard(at->path())) names.push_back(below + at->path().filename().string());
  std::sort(names.begin(), names.end(), naturalLess);
  return names;
}

ShardNames named(const fs::path& path) {
  std::error_code code;
  ShardNames found{path, {}};
  if (fs::is_directory(path, code)) {
    found.names = tarsIn(path, "");
    for (const char* folder : kFolders)
      for (std::string& name : tarsIn(path, std::string(folder) + "/"))
        found.names.push_back(std::move(name));
    return found;
  }
  found.folder = path.parent_path();
  const std::string name = path.filename().string();
  found.names = isPattern(path) ? expandedBraces(name) : std::vector<std::string>{name};
  for (const std::string& one : found.names)
    if (one.find('/') != one.npos || !isShard(one) || !fs::exists(found.folder / one, code))
      throw Failure({ErrorCode::NotFound,
                     tr("does not exist; add the shard, or name only existing ones"),
                     (found.folder / one).string()});
  return found;
}

/// Whether `word` stands in the name with no letter beside it.
bool says(const std::string& name, const std::string& word) {
  const auto letterAt = [&](std::size_t at) {
    return at < name.size() && std::isalpha(static_cast<unsigned char>(name[at]));
  };
  for (std::size_t at = name.find(word); at != name.npos; at = name.find(word, at + 1))
    if ((at == 0 || !letterAt(at - 1)) && !letterAt(at + word.size())) return true;
  return false;
}

/// Which of the words of validation the name says; empty: none.
std::string validationWordOf(const std::string& name) {
  for (const char* word : kValidationWords)
    if (says(name, word)) return word;
  return "";
}

std::string validationWordOf(const std::vector<std::string>& names) {
  for (const char* word : kValidationWords)
    if (std::any_of(names.begin(), names.end(),
                    [&](const std::string& name) { return validationWordOf(name) == word; }))
      return word;
  return "";
}

}  // namespace

std::vector<std::string> expandedBraces(const std::string& pattern) {
  const std::vector<Piece> pieces = piecesOf(pattern);
  const std::uint64_t count = requireFewNames(pieces, pattern);
  std::vector<std::string> texts(count);
  std::uint64_t after = count;  // how many names share their texts up to this piece
  for (const Piece& piece : pieces) {
    after /= piece.count;
    for (std::uint64_t i = 0; i < count; ++i)
      texts[i] += piece.at(i / after % piece.count);
  }
  return texts;
}

ShardNames shardNames(const fs::path& path, Split split) {
  ShardNames all = named(path);
  if (all.names.empty())
    throw Failure({ErrorCode::NotFound,
                   tr("contains no tar shards; give a folder of them, or a pattern such as "
                      "train-{000..146}.tar"),
                   path.string()});
  const std::string validation = validationWordOf(all.names);
  const bool wantsValidation = split == Split::Validation && !validation.empty();
  std::erase_if(all.names, [&](const std::string& name) {
    return validationWordOf(name) != (wantsValidation ? validation : "");
  });
  if (all.names.empty())
    throw Failure({ErrorCode::NotFound,
                   tr("has shards of ") + validation + tr(" but no training shards; add them"),
                   path.string()});
  all.shareOut = validation.empty();
  return all;
}

bool namesShards(const fs::path& path) {
  const auto found = guarded(path.string(), [&] { return !named(path).names.empty(); });
  return found.ok() && *found;
}

}  // namespace headlight
