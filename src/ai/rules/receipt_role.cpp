// receipt_role.cpp — what a line of a receipt is for, by the words it has.
#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "ai/rules/receipt_text.hpp"

namespace belay::ai::rules {
namespace {

std::size_t mistakes_allowed(std::size_t length) { return length >= 11 ? 2 : length >= 5 ? 1 : 0; }

// The fewest letters to change, drop or add so that `word` stands somewhere in `said`.
std::size_t distance_within(std::string_view said, std::string_view word) {
    std::vector<std::size_t> row(word.size() + 1);
    for (std::size_t i = 0; i <= word.size(); ++i) row[i] = i;
    std::size_t best = row.back();
    for (const char c : said) {
        std::size_t diagonal = row[0];  // a match may begin anywhere: row[0] stays 0
        for (std::size_t i = 1; i <= word.size(); ++i) {
            const std::size_t change = diagonal + (word[i - 1] == c ? 0 : 1);
            diagonal = row[i];
            row[i] = std::min({change, row[i] + 1, row[i - 1] + 1});
        }
        best = std::min(best, row.back());
    }
    return best;
}

}  // namespace

bool says(std::string_view said, std::string_view word) {
    if (said.find(word) != std::string_view::npos) return true;
    const std::size_t allowed = mistakes_allowed(word.size());
    return allowed > 0 && said.size() + allowed >= word.size() && distance_within(said, word) <= allowed;
}

bool says_any(std::string_view said, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return says(said, word); });
}

// The order of the questions matters: "total excluding tax" has to be asked for its "excluding" first.
Role role_of(std::string_view said) {
    if (said.size() < 3) return Role::None;
    const auto any = [&](std::initializer_list<std::string_view> words) { return says_any(said, words); };
    const auto has = [&](std::string_view word) { return said.find(word) != std::string_view::npos; };

    if (any({"taxinvoice", "gstsummary", "taxsummary", "gstanalysis", "vatsummary", "taxcode", "taxanalysis",
             "gstreg", "gstno", "gstid", "momsreg", "steuernr", "ustid", "ustidnr", "thankyou", "paymenttype",
             "paymentmode", "paymentdetails"}))
        return Role::Table;
    if (any({"totalsaving", "yousaved", "saving", "totalqty", "totalquantity", "itemcount", "noofitem", "numberofitem",
             "totalitem", "itemstotal", "points", "poang", "bonuspunkte", "anzahlartikel", "antalvaror",
             "antalartiklar", "postenanzahl", "loyalty", "preisvorteil", "gespart", "dusparade"}))
        return Role::Count;
    const bool total = any({"total", "summa", "summe", "gesamt", "amountdue", "attbetala", "zuzahlen", "jumlah",
                            "amountpayable", "totalt", "betrageur", "amtdue", "balancedue"}) ||
                       has("sumtotal");
    const bool with_tax = any({"inclusive", "inclgst", "inclvat", "incltax", "includinggst", "inklmoms", "inklmwst",
                               "aftertax", "withgst", "inkl", "gstincl", "inclof"}) ||
                          has("incl");
    const bool without_tax = any({"excluding", "exclusive", "exclgst", "beforegst", "beforetax", "exklmoms",
                                  "exclmoms", "taxable"}) ||
                             has("excl") || has("exgst") || has("ohne");
    if (any({"discount", "rabatt", "diskaun", "nachlass", "avdrag"})) return Role::Discount;
    if (total && any({"rounded", "afterrounding", "afterround", "afteradj", "totalrounding"}) && !has("adj")) return Role::GrandTotal;
    if (any({"rounding", "avrundning", "rundung", "roundingadj", "roundadj", "bundaran", "rounded"}) ||
        (has("round") && has("adj")))
        return Role::Rounding;
    if (any({"change", "vaxel", "ruckgeld", "tillbaka", "wechselgeld", "ruckgabe"}) && !any({"exchange"})) return Role::Change;
    if (any({"servicecharge", "servcharge", "servchg", "svccharge", "servicechg", "servicechrg", "svcchrg", "dricks", "trinkgeld"}) || has("svc"))
        return Role::Service;
    if (any({"subtotal", "delsumma", "zwischensumme", "subtotai"}) || (total && without_tax)) return Role::SubTotal;
    if (any({"grandtotal", "nettotal", "netttotal", "totaldue", "amountdue", "attbetala", "zuzahlen", "totalpayable",
             "amountpayable", "totaltopay", "totalamountdue", "balancedue", "totalamountpayable", "nettamount", "tobepaid"}))
        return Role::GrandTotal;
    if (total && with_tax) return Role::Total;
    const bool tax = has("gst") || has("sst") || has("vat") || has("tax") || has("moms") || has("mwst") ||
                     has("mehrwertst") || has("steuer");
    if (tax && !with_tax) return Role::Tax;
    if (total) return Role::Total;
    if (any({"tendered", "tender", "kontant", "gegeben", "bargeld", "cashreceived", "amountpaid", "amountreceived",
             "tunai"}) || has("cash") || has("betalt") || said == "bar" || said == "eurbar" || said == "bareur" || has("paid") || has("received"))
        return has("cashier") || has("cashbill") || has("cashsale") ? Role::None : Role::Cash;
    if (any({"mastercard", "debitcard", "creditcard", "bankcard", "kortkop", "kartenzahlung", "girocard", "maestro",
             "bankkort", "eccash", "kontokort", "americanexpress", "mydebit"}) || has("visa") || has("amex") || has("swish") || has("kartezahl") || said == "kort" || said == "ec" || said == "karte")
        return Role::Card;
    return Role::None;
}

}  // namespace belay::ai::rules
