// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Hugging Face hub as far as a model is fetched from it, on this machine: one repository. Its
// hashes are coreutils', so that they are not the tested program's own.

#include <cstdio>
#include <memory>
#include <optional>

#include "tests/LoopbackServer.h"
#include "tests/TemporaryFolder.h"

namespace headlight::testing {

inline constexpr const char* kHubCommit = "0123456789abcdef0123456789abcdef01234567";

/// "sha256sum" or "sha1sum" of bytes, in hexadecimal.
inline std::string hashBy(const std::string& program, const std::string& bytes) {
  const TemporaryFolder folder;
  const std::string path = (folder / "bytes").string();
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) throw std::runtime_error("no file to hash");
  std::fwrite(bytes.data(), 1, bytes.size(), file);
  std::fclose(file);
  std::FILE* pipe = ::popen((program + " " + path).c_str(), "r");
  char text[65] = {};
  const bool read = pipe && std::fscanf(pipe, "%64s", text) == 1;
  if (pipe) ::pclose(pipe);
  if (!read) throw std::runtime_error("no " + program);
  return text;
}

struct HubContent {
  std::string repository = "timm/vit_tiny_patch16_224.augreg_in21k";
  std::map<std::string, std::string> files;  ///< by name; .json is small, others are LFS's
};

/// Bytes that no other place of the file has: what is joined wrongly is seen.
inline std::string unevenBytes(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint32_t state = 1;
  for (char& byte : bytes) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<char>(state >> 24);
  }
  return bytes;
}

/// A safetensors file of so many bytes with one tensor of them.
inline std::string unevenWeights(std::size_t size) {
  constexpr std::size_t kHeader = 120;
  const std::string values = std::to_string(size - 8 - kHeader);
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(kHeader);
  bytes +=
      R"({"bytes":{"dtype":"U8","shape":[)" + values + R"(],"data_offsets":[0,)" + values + "]}}";
  bytes.resize(8 + kHeader, ' ');
  return bytes + unevenBytes(size - bytes.size());
}

inline HubContent tinyVitContent(std::size_t size = 3'000'000) {
  HubContent content;
  content.files["config.json"] =
      R"({"architecture": "vit_tiny_patch16_224", "num_classes": 21843})";
  content.files["model.safetensors"] = unevenWeights(size);
  return content;
}

class HubServer {
 public:
  /// `meddle` may answer in the hub's place, or change what it answers.
  using Meddle = std::function<std::optional<ServerReply>(const ServerRequest&, ServerReply)>;

  explicit HubServer(HubContent content, Meddle meddle = {})
      : m_content(std::move(content)), m_meddle(std::move(meddle)) {
    for (const auto& [name, bytes] : m_content.files) {
      const std::string size = std::to_string(bytes.size());
      m_etags[name] = isLarge(name)
                          ? hashBy("sha256sum", bytes)
                          : hashBy("sha1sum", "blob " + size + std::string(1, '\0') + bytes);
    }
    m_server =
        std::make_unique<LoopbackServer>([this](const auto& request) { return answer(request); });
  }

  std::string address() const { return m_server->address(); }
  int port() const { return m_server->port(); }
  std::vector<ServerRequest> requests() const { return m_server->requests(); }
  /// Of those that asked for bytes of `name`.
  std::vector<ServerRequest> reads(const std::string& name) const {
    std::vector<ServerRequest> found;
    for (const auto& request : requests())
      if (request.method == "GET" && request.path.ends_with("/" + name)) found.push_back(request);
    return found;
  }
  const std::string& etag(const std::string& name) const { return m_etags.at(name); }
  const std::string& bytes(const std::string& name) const { return m_content.files.at(name); }

  /// A file's reply as the hub's store gives it: a part where a part is asked for.
  static ServerReply part(const ServerRequest& request, const std::string& bytes) {
    ServerReply reply;
    const std::string range = request.header("range");
    if (!range.starts_with("bytes=")) {
      reply.body = bytes;
      return reply;
    }
    const auto from = static_cast<std::size_t>(std::stoll(range.substr(6)));
    if (from >= bytes.size()) return {416, {}, "", -1, -1, 1 << 20, 0};
    reply.status = 206;
    reply.body = bytes.substr(from);
    reply.headers = {{"Content-Range", "bytes " + std::to_string(from) + "-" +
                                           std::to_string(bytes.size() - 1) + "/" +
                                           std::to_string(bytes.size())}};
    return reply;
  }

 private:
  static bool isLarge(const std::string& name) { return !name.ends_with(".json"); }

  ServerReply answer(ServerRequest request) {
    if (request.path.starts_with("http://"))  // asked as a proxy
      request.path = request.path.substr(request.path.find('/', 7));
    ServerReply reply = honest(request);
    if (!m_meddle) return reply;
    auto meddled = m_meddle(request, reply);
    return meddled ? *meddled : reply;
  }

  ServerReply honest(const ServerRequest& request) const {
    ServerReply missing;
    missing.status = 404;
    const auto name = request.path.substr(request.path.rfind('/') + 1);
    const std::string start = "/" + m_content.repository + "/resolve/";
    if (!request.path.starts_with(start)) {
      missing.status = 401;
      missing.headers = {{"X-Error-Code", "RepoNotFound"}};
      return missing;
    }
    const auto file = m_content.files.find(name);
    if (file == m_content.files.end()) return missing;
    ServerReply reply = part(request, file->second);
    reply.headers.emplace_back("X-Repo-Commit", kHubCommit);
    if (isLarge(name)) {
      reply.headers.emplace_back("X-Linked-Etag", "\"" + m_etags.at(name) + "\"");
      reply.headers.emplace_back("X-Linked-Size", std::to_string(file->second.size()));
    }
    reply.headers.emplace_back("ETag", "\"" + m_etags.at(name) + "\"");
    return reply;
  }

  HubContent m_content;
  Meddle m_meddle;
  std::map<std::string, std::string> m_etags;
  std::unique_ptr<LoopbackServer> m_server;
};

}  // namespace headlight::testing
