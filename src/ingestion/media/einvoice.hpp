// einvoice.hpp — an electronic invoice as its XML says it, and the job of belay-media that reads it.
//
// Values are texts as they are written there, trimmed: what a number or a date is worth is decided by whoever computes
// with it (ai/rules/einvoice.hpp). Everything is limited in length and number, because a stranger wrote it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

namespace belay::media {

// At most this many lines and rows of tax are kept; what has more says so in `cut`.
inline constexpr std::size_t kEInvoiceLinesMax = 2000;
inline constexpr std::size_t kEInvoiceTaxesMax = 100;

struct EInvoiceParty {
    std::string name{};
    std::string vat_number{};    // DE123456789
    std::string tax_number{};    // of the local office
    std::string legal_number{};  // of a register of companies
    std::string address{};       // "Street 1, 12345 Town, DE"
};
BOOST_DESCRIBE_STRUCT(EInvoiceParty, (), (name, vat_number, tax_number, legal_number, address))

struct EInvoiceTax {
    std::string rate{};  // percent
    std::string base{};
    std::string amount{};
};
BOOST_DESCRIBE_STRUCT(EInvoiceTax, (), (rate, base, amount))

struct EInvoiceLine {
    std::string id{};
    std::string name{};
    std::string quantity{};
    std::string unit{};
    std::string price{};                               // for `price_per` units
    std::string price_per{};                           // empty: one
    std::string gross_price{};                         // for as many, where it is said
    std::vector<std::string> allowances{}, charges{};  // of this line, in money
    std::string amount{};
    std::string vat_rate{};  // percent
};
BOOST_DESCRIBE_STRUCT(EInvoiceLine, (),
                      (id, name, quantity, unit, price, price_per, gross_price, allowances, charges,
                       amount, vat_rate))

struct EInvoice {
    std::string syntax{};   // "CII" or "UBL"
    std::string profile{};  // urn:cen.eu:en16931:2017…
    std::string number{};
    std::string type_code{};   // of UNTDID 1001: 380 an invoice, 381 a credit note
    std::string issue_date{};  // 2024-03-12, or as it is written if it is no date of the standard
    std::string due_date{};
    std::string currency{};
    EInvoiceParty seller{}, buyer{};
    std::string iban{}, bic{}, payment_reference{};
    std::string line_total{}, allowance_total{}, charge_total{};
    std::string net_total{}, tax_total{}, grand_total{};
    std::string prepaid{}, rounding{}, due_amount{};
    std::vector<EInvoiceTax> taxes{};
    std::vector<EInvoiceLine> lines{};
    bool cut = false;  // it had more lines, rows of tax or text than are kept
};
BOOST_DESCRIBE_STRUCT(EInvoice, (),
                      (syntax, profile, number, type_code, issue_date, due_date, currency, seller,
                       buyer, iban, bic, payment_reference, line_total, allowance_total,
                       charge_total, net_total, tax_total, grand_total, prepaid, rounding,
                       due_amount, taxes, lines, cut))

// An answer of the sandbox, before anybody computes with it: as many lines as above, texts of a sensible length, UTF-8.
void make_sound(EInvoice& invoice);

// The invoice that an XML file is (UBL, UN/CEFACT CII), or that a PDF carries with it (Factur-X, ZUGFeRD, XRechnung).
// Input: the file. An XML file that is no invoice is Rejected with a code of `reject_code` (read_jobs.hpp); a PDF
// without one is normal: `invoice` is empty, and `problem` says what was wrong with the one that it claims to carry.
struct ReadEInvoice {
    static constexpr std::string_view kName = "read_einvoice";

    struct Arguments {
        int pages_max = 10'000;  // of a PDF
    };
    struct Result {
        std::vector<EInvoice> invoice{};  // one or none
        std::string attachment{};         // as the PDF names it; empty for an XML file
        std::string problem{};
    };
};
BOOST_DESCRIBE_STRUCT(ReadEInvoice::Arguments, (), (pages_max))
BOOST_DESCRIBE_STRUCT(ReadEInvoice::Result, (), (invoice, attachment, problem))

}  // namespace belay::media
