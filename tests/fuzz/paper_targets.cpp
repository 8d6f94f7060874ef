// paper_targets.cpp — receipts, invoices and card statements, and what is printed on them.
#include <string>
#include <vector>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/base/utf8.hpp"
#include "fuzz/targets.hpp"
#include "ingestion/ai/rules/amount.hpp"
#include "ingestion/ai/rules/csv.hpp"
#include "ingestion/ai/rules/date.hpp"
#include "ingestion/ai/rules/decimal.hpp"
#include "ingestion/ai/rules/document_type.hpp"
#include "ingestion/ai/rules/einvoice.hpp"
#include "ingestion/ai/rules/invoice.hpp"
#include "ingestion/ai/rules/receipt.hpp"
#include "ingestion/ai/rules/statement.hpp"
#include "ingestion/ai/rules/typed_page.hpp"
#include "ingestion/media/card_number.hpp"
#include "ingestion/media/einvoice.hpp"
#include "ingestion/media/einvoice/read_einvoice.hpp"
#include "ingestion/media/fusion.hpp"
#include "ingestion/media/language.hpp"
#include "ingestion/media/lines.hpp"
#include "ingestion/media/sound_page.hpp"

namespace belay::fuzz {
namespace {

void amounts_and_dates(std::string_view bytes) {
    for (const auto& amount : ai::rules::read_amounts(bytes)) {
        FUZZ_CHECK(amount.confidence >= 0 && amount.confidence <= 1);
        FUZZ_CHECK(ai::rules::Decimal::parse(amount.value.text()) == amount.value);
    }
    if (const auto date = ai::rules::Date::parse(bytes))
        FUZZ_CHECK(ai::rules::Date::parse(date->text()) == date);
    ai::rules::read_date(bytes);
    ai::rules::read_date(bytes, {}, {.without_year = true, .six_digits = true});
    if (const auto number = ai::rules::Decimal::parse(bytes)) {
        FUZZ_CHECK(ai::rules::Decimal::parse(number->text()) == number);
        static_cast<void>((*number * *number + *number).rescaled(2).text());
    }
}

void card_number(std::string_view bytes) {
    const std::string masked = media::mask_card_numbers(bytes);
    FUZZ_CHECK(masked.size() == bytes.size());
    FUZZ_CHECK(media::mask_card_numbers(masked) == masked);
    auto page = ai::rules::typed_page(bytes.substr(0, 1000));
    media::mask_card_numbers(page);
}

// What the workflow does with pages, all kinds of document in turn.
void read_papers(std::vector<media::Page> pages) {
    for (auto& page : pages) {
        media::number_lines(page.words);
        media::mask_card_numbers(page);
        media::guess_language(page.words);
    }
    ai::rules::classify_document(pages);
    const auto receipt = ai::rules::read_receipt(pages);
    ai::rules::receipt_json(receipt, "other");
    const auto invoice = ai::rules::read_invoice(pages);
    ai::rules::invoice_result_json(invoice);
    ai::rules::invoice_csv(invoice);
    const auto statement = ai::rules::read_statement(pages);
    ai::rules::statement_result_json(statement);
    ai::rules::statement_csv(statement);
    // They are kept as JSON, and read again.
    FUZZ_CHECK(to_json(from_json<ai::rules::Receipt>(to_json(receipt))) == to_json(receipt));
    FUZZ_CHECK(to_json(from_json<ai::rules::Invoice>(to_json(invoice))) == to_json(invoice));
    FUZZ_CHECK(to_json(from_json<ai::rules::Statement>(to_json(statement))) == to_json(statement));
}

// A page as a reader gives it is UTF-8.
void papers(std::string_view bytes) {
    read_papers({ai::rules::typed_page(base::to_valid_utf8(bytes.substr(0, 4000)))});
}

// The answer of a helper that a hostile file has taken over: words anywhere, of any size.
void pages(std::string_view bytes) {
    std::vector<media::Page> pages;
    try {
        pages = from_json<std::vector<media::Page>>(bytes);
    } catch (const Error&) {
        return;
    }
    for (auto& page : pages) media::make_sound(page);
    if (pages.size() > 1) {  // as two readings of one page
        const auto both = media::fused(pages[0], pages[1]);
        FUZZ_CHECK(both.words.size() <= 4 * (pages[0].words.size() + pages[1].words.size()));
        pages.push_back(both);
    }
    read_papers(std::move(pages));
}

// An electronic invoice all the way: the helper's part, and what is done with its answer.
void einvoice(std::string_view bytes) {
    media::ReadEInvoice::Result read;
    try {
        read.invoice.push_back(media::einvoice::read_einvoice(bytes));
    } catch (const media::einvoice::XmlError& error) {
        FUZZ_CHECK(base::is_utf8(error.what()));
        return;
    }
    media::EInvoice& said = read.invoice.front();
    media::make_sound(said);
    const std::string once = to_json(read);
    media::make_sound(said);
    FUZZ_CHECK(to_json(read) == once);
    FUZZ_CHECK(to_json(from_json<media::ReadEInvoice::Result>(once)) == once);
    const auto invoice = ai::rules::invoice_of(said);
    ai::rules::invoice_result_json(invoice);
    ai::rules::invoice_csv(invoice);
    FUZZ_CHECK(to_json(from_json<ai::rules::Invoice>(to_json(invoice))) == to_json(invoice));
    ai::rules::differences(invoice, {ai::rules::sheet_of(said)});
}

}  // namespace

std::vector<Target> paper_targets() {
    return {{"amounts_and_dates", amounts_and_dates},
            {"card_number", card_number},
            {"einvoice", einvoice},
            {"papers", papers},
            {"pages", pages}};
}

}  // namespace belay::fuzz
