// writes.hpp — every change of a document's rows, inside the transaction of whoever makes it.
//
// A document is always one of an organization's: another's is one that there is not, and throws no_document().
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

#include <belay/bytes.hpp>
#include <belay/error.hpp>
#include <belay/tx.hpp>

#include "ingestion/ai/metadata/facts.hpp"
#include "ingestion/documents/address.hpp"
#include "ingestion/documents/content.hpp"
#include "ingestion/web/links.hpp"

namespace belay::documents {

// What the first step of a fetch records: small, because every later pick-up of the run reads it.
struct Resolved {
    std::string document_id{};
    std::string source_url{};
    std::string cms_platform{};
    std::string cms_instance{};
    std::string cms_document_id{};
};
BOOST_DESCRIBE_STRUCT(Resolved, (),
                      (document_id, source_url, cms_platform, cms_instance, cms_document_id))

// "there is no document …"
NonRetryable no_document(const std::string& id);

// The document of that id, else of that address, else a new one that was NOT_FETCHED. Throws
// NonRetryable for an id that there is not (without an address), and for an address that is none.
Resolved resolve(Tx& tx, const std::string& organization_id, const std::string& id,
                 const std::string& url);

// A document that is NOT_FETCHED, unless it is there; true if it is new.
bool insert_document(Tx& tx, const std::string& organization_id, const Address& address,
                     const std::string& discovery_method, const std::string& discovery_url);

// Takes a document out of every list and the search; its text goes when nobody can be reading it. The same address may be
// fetched again. Gives the run that is at work on it, empty if there is none; nothing if there is no such document.
std::optional<std::string> delete_document(Tx& tx, const std::string& organization_id,
                                           const std::string& document_id);

// At most so many, of 1 to 60 characters. Throws Error{InvalidArgument}, no_document().
inline constexpr std::size_t kTagsMax = 30;
void set_tags(Tx& tx, const std::string& organization_id, const std::string& document_id,
              const std::vector<std::string>& tags);

// What a page said of itself, as its row keeps it.
struct Description {
    std::string title{};
    std::string author{};
    std::string published_date{};
    std::string site{};
    std::string description{};
    std::string language{};
    std::string excerpt{};
};
BOOST_DESCRIBE_STRUCT(Description, (),
                      (title, author, published_date, site, description, language, excerpt))

struct Version {
    std::string final_url{};
    std::string kind{};
    std::string etag{};
    std::string last_modified{};
};
BOOST_DESCRIBE_STRUCT(Version, (), (final_url, kind, etag, last_modified))

struct Embedding {
    std::string model{};
    std::int64_t dimension = 0;
    Bytes vector{};  // float32, little-endian
};
BOOST_DESCRIBE_STRUCT(Embedding, (), (model, dimension, vector))

// A new text: row, searched text, embedding and fingerprint in one transaction. What older texts left (vectors of
// any model) goes; the old text itself later (replaced.hpp). `text` is what is searched, cut by the caller.
// Throws NonRetryable for content that is not the organization's own.
void save_content(Tx& tx, const std::string& organization_id, const std::string& document_id,
                  const ContentRef& content, const Version& version, const Description& description,
                  const Embedding& embedding, const std::string& text);

// The page has not changed since: FETCHED, at this time. `embedding` is null unless it is of a model that the
// document had no vector of.
void save_unchanged(Tx& tx, const std::string& organization_id, const std::string& document_id,
                    const Version& version, const Embedding* embedding);

// All links of the document, in place of those before.
void save_links(Tx& tx, const std::string& organization_id, const std::string& document_id,
                std::span<const web::PageLink> links);

// What extract_metadata found in the text with that hash.
void save_facts(Tx& tx, const std::string& organization_id, const std::string& document_id,
                const std::string& content_hash, const std::string& model,
                const ai::metadata::Facts& facts);

// The run has ended: with a reason if it failed. A document that `is_fetched` (only what came after failed) stays
// FETCHED beside the reason. Without one, `is_fetched` says that the run has fetched it.
void release(Tx& tx, const std::string& organization_id, const std::string& document_id,
             const std::string& run_id, const std::string& error, bool is_fetched);

// Vectors as bytes and back. Throws Error{BadValue} for bytes that are no vector of that dimension.
Bytes vector_bytes(std::span<const float> vector);
std::vector<float> vector_of(const Bytes& bytes, std::int64_t dimension);

}  // namespace belay::documents
