// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/Tokenizer.h"

#include <utility>

#include "core/base/Translation.h"
#include "core/base/Utf8.h"
#include "core/text/Characters.h"
#include "core/text/Normalizer.h"
#include "core/text/PreTokenizer.h"
#include "core/text/SubwordModel.h"

namespace headlight {
namespace {

using Ids = std::vector<std::int64_t>;
using AddedTokens = std::vector<std::pair<std::string, std::int64_t>>;

constexpr std::size_t kMostAdded = 10'000;

AddedTokens readAdded(const Json& json, const std::string& where) {
  AddedTokens tokens;
  if (json.is_null()) return tokens;
  if (!json.is_array() || json.size() > kMostAdded)
    failTokenizer(tr("added_tokens must be a list of at most 10000"), where);
  for (const Json& entry : json)
    tokens.emplace_back(tokenizerText(entry, "content", where),
                        tokenNumber(tokenizerValue(entry, "id"), where));
  return tokens;
}

/// The tokens that a file puts before and behind a text.
using Frame = std::pair<Ids, Ids>;

/// ["</s>", 1].
std::int64_t namedNumber(const Json& pair, const std::string& where) {
  if (!pair.is_array() || pair.size() != 2) failTokenizer(tr("post_processor is damaged"), where);
  return tokenNumber(pair[1], where);
}

void addTemplateTokens(const Json& json, const Json& item, Ids& to, const std::string& where) {
  const std::string name = tokenizerText(tokenizerValue(item, "SpecialToken"), "id", where);
  const Json& known = tokenizerValue(json, "special_tokens");
  const Json& ids = tokenizerValue(tokenizerValue(known, name.c_str()), "ids");
  if (!ids.is_array() || ids.empty())
    failTokenizer(tr("post_processor has an unknown special token ") + name, where);
  for (const Json& id : ids)
    to.push_back(tokenNumber(id, where));
}

Frame templateFrame(const Json& json, const std::string& where) {
  Frame frame;
  bool within = false;
  for (const Json& item : tokenizerValue(json, "single"))
    if (item.is_object() && item.contains("Sequence"))
      within = true;
    else
      addTemplateTokens(json, item, within ? frame.second : frame.first, where);
  if (!within) failTokenizer(tr("post_processor leaves out the text"), where);
  return frame;
}

Frame readFrame(const Json& json, const std::string& where) {
  if (json.is_null()) return {};
  const std::string type = tokenizerText(json, "type", where);
  if (type == "TemplateProcessing") return templateFrame(json, where);
  if (type == "RobertaProcessing" || type == "BertProcessing")
    return {{namedNumber(tokenizerValue(json, "cls"), where)},
            {namedNumber(tokenizerValue(json, "sep"), where)}};
  if (type == "ByteLevel") return {};
  refuseTokenizer("the post-processor " + (type.empty() ? "?" : type), where);
}

void requireUtf8(std::string_view text) {
  if (text.size() > kLongestPrompt)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("is longer than 1024 bytes, the limit for a prompt; shorten it"), ""});
  for (; !text.empty(); text.remove_prefix(utf8Length(text)))
    if (utf8Length(text) == 0)
      throw Failure({ErrorCode::InvalidArgument, tr("is not UTF-8; save it as UTF-8"), ""});
}

}  // namespace

struct Tokenizer::Parts {
  Normalizer normalizer;
  PreTokenizer words;
  std::unique_ptr<SubwordModel> model;
  AddedTokens added;
  Frame frame;

  /// They would end a prompt, or stand for what nobody wrote.
  void refuseSpecial(const std::string& text) const {
    for (const auto& [token, number] : added)
      if (!token.empty() && text.find(token) != std::string::npos)
        throw Failure({ErrorCode::InvalidArgument,
                       tr("contains the tokenizer's special token ") + token + tr("; leave it out"),
                       ""});
  }

  Ids encode(const std::string& text) const {
    requireUtf8(text);
    refuseSpecial(text);
    const std::string normal = normalizer.normalized(text);
    refuseSpecial(normal);
    Ids ids = frame.first;
    for (const std::string& word : words.split(normal))
      model->encode(word, ids);
    ids.insert(ids.end(), frame.second.begin(), frame.second.end());
    return ids;
  }
};

Tokenizer::Tokenizer(const Json& json, const std::string& where) {
  if (!json.is_object()) failTokenizer(tr("is not a JSON object"), where);
  auto parts =
      std::make_shared<Parts>(Parts{Normalizer(tokenizerValue(json, "normalizer"), where),
                                    PreTokenizer(tokenizerValue(json, "pre_tokenizer"), where),
                                    makeSubwordModel(tokenizerValue(json, "model"), where),
                                    readAdded(tokenizerValue(json, "added_tokens"), where),
                                    readFrame(tokenizerValue(json, "post_processor"), where)});
  m_parts = std::move(parts);
}

Tokenizer::~Tokenizer() = default;

Result<std::vector<std::int64_t>> Tokenizer::encode(const std::string& text) const {
  return guarded("\"" + text + "\"", [&]() -> Result<Ids> {
    try {
      return m_parts->encode(text);
    } catch (const Failure& failure) {
      return Error{failure.error().code, failure.error().message, "\"" + fitForLine(text) + "\""};
    }
  });
}

std::optional<std::int64_t> Tokenizer::find(const std::string& token) const {
  for (const auto& [name, number] : m_parts->added)
    if (name == token) return number;
  return m_parts->model->find(token);
}

const char* Tokenizer::kind() const {
  return m_parts->model->kind();
}

}  // namespace headlight
